"""Runs the benchmark when this folder is given to Python: `python tests/bench`, as `scons bench` does."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from bench.suite import main

    sys.exit(main())
