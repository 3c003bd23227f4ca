"""``python -m respec_core.training``: the same commands as ``python -m respec_core train``, without the rest."""

from __future__ import annotations

import argparse
import sys

from respec_core.cli.train import add_arguments, main

parser = argparse.ArgumentParser(prog="python -m respec_core.training", description=main.__doc__)
add_arguments(parser)
sys.exit(main(parser.parse_args()))
