"""Every declared setting as a page, from the declarations themselves. Imports no torch.

python -m respec_core.methods.settings_page > docs/settings.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from respec_core.methods.registry import METHODS
from respec_core.settings.declaring import Settings
from respec_core.settings.knobs import Knob, knobs
from respec_core.settings.run_config import SHARED_GROUPS

HEAD = """# Settings

Every declared setting with its default, as `--set NAME=VALUE`, the page and the library take it. Made by
`python -m respec_core.methods.settings_page`; what the methods do with theirs: [methods](methods.md)."""
COLUMNS = "| setting | default | range | default is | what |\n|---|---|---|---|---|"


def settings_page() -> str:
    """The shared groups, then the methods' own; methods with the same settings share a section."""
    sections = [HEAD, *(_section(f"Shared: {name}", group) for name, group in SHARED_GROUPS.items())]
    for settings in dict.fromkeys(method.settings for method in METHODS):
        names = ", ".join(f"`{method.name}`" for method in METHODS if method.settings is settings)
        sections.append("\n\n".join([_section(names, settings), *_presets(settings)]))
    return "\n\n".join(sections) + "\n"


def _section(title: str, settings: type[Settings]) -> str:
    rows = [*_rows(settings)]
    return f"## {title}\n\n" + ("\n".join([COLUMNS, *rows]) if rows else "None.")


def _presets(settings: type[Settings]) -> Iterator[str]:
    """What each preset sets; once where methods with these settings share it."""
    found = dict.fromkeys(preset for m in METHODS if m.settings is settings for preset in m.presets)
    if found:
        lines = (f"- `{p.name}`: {p.about}. {', '.join(f'`{n}={_plain(v)}`' for n, v in p.values)}." for p in found)
        yield "Presets:\n\n" + "\n".join(lines)


def _rows(settings: type[Settings]) -> Iterator[str]:
    for knob in knobs(settings, ""):
        label = f"{knob.label}. {knob.help}{_idle(knob)}".replace("|", "\\|")
        yield f"| `{knob.name}` | {_value(knob.default)} | {_range(knob)} | {knob.badge} | {label} |"


def _idle(knob: Knob) -> str:
    values = (f"`{name}={_plain(value)}`" for name, unused in knob.idle.items() for value in unused)
    return f" No effect with {', '.join(values)}." if knob.idle else ""


def _range(knob: Knob) -> str:
    if knob.kind == "several":
        return "several of " + ", ".join(f"`{choice}`" for choice in knob.choices)
    if knob.choices:
        return ", ".join(f"`{choice}`" for choice in knob.choices)
    limits = "" if knob.low is None else f"{knob.low} … {knob.high}" if knob.high is not None else f"≥ {knob.low}"
    return f"{limits} {knob.unit}".strip() or "true, false"


def _value(value: object) -> str:
    return f"`{_plain(value)}`"


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    sys.stdout.write(settings_page())
