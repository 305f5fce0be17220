"""Where things lie in the source tree and in the build folder."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
CORE = BUILD / "core"
