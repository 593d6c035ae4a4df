"""``python -m infwalk.cli``."""

import sys

from infwalk.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
