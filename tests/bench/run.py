"""Runs the benchmark: `python tests/bench/run.py --help` says how; `scons bench` builds the core first."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from bench.suite import main

    sys.exit(main())
