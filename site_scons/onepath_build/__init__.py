"""The build's parts: each module here registers one group of `scons` targets."""
