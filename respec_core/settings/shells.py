"""A command's words, quoted so that a shell hands over just these; and settings as a YAML file. Imports no torch."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

PLAIN = re.compile(r"[\w./:=+-]+", re.ASCII)


def bash(words: Sequence[str]) -> str:
    """A line for bash and other POSIX shells."""
    return shlex.join(words)


def powershell(words: Sequence[str]) -> str:
    """A line for PowerShell from 7.3 on; older ones drop the double quotes of an argument on their way to a program."""
    return " ".join(word if PLAIN.fullmatch(word) else "'" + word.replace("'", "''") + "'" for word in words)


def yaml(values: Mapping[str, Any]) -> str:
    """A YAML file of names and values: JSON's strings and numbers are YAML's too."""
    return "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
