"""``python -m respec_core``."""

import sys

from respec_core.cli import main

if __name__ == "__main__":
    sys.exit(main())
