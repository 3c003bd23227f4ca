"""What crosses to the browser, as TypeScript declarations for the checker of our scripts. No torch, no gradio.

python -m app.view_types > app/static/types.d.ts
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from pydantic import BaseModel

from app.calling import Calling
from app.compare.messages import CompareMessage, ComparePacket
from app.form import FormSchema, SettingValue
from app.gallery import GalleryLine
from app.glossary import Glossary
from app.lab.answers import Refused, SetAnswer
from app.lab.asked import Question
from app.lab.curve import CurveAnswer
from app.lab.export import ExportAnswer
from app.lab.imported import ServedAnswer
from app.lab.look import LookAnswer
from app.lab.lost import RegretAnswer
from app.lab.messages import LabMessage, LabPacket
from app.lab.opening import RoundAnswer
from app.lab.pair import PairAnswer
from app.lab.picture import PictureAnswer
from app.learn.library import Piece
from app.learn.page import LearnOpening, LessonAnswer
from app.learn.widget import Verdict
from app.loading import Status
from app.message_types import Message, Packet, RunHead
from app.outlook import OutlookView
from app.panels import JsonOf
from app.panels.panel import ById, Described, GeneralView, Panel, RoundPanel, RunPanel
from app.panels.registry import PANELS
from app.requests import RunAsked, Wishes
from app.serving.line import Standing
from app.what_if import Answer, Refusal, WhatIf
from respec_core.methods.registry import FAMILIES
from respec_core.trace.round import Node, Step
from respec_core.trace.schema import Run

ROOTS = (
    Packet,
    ComparePacket,
    Run,
    FormSchema,
    OutlookView,
    Wishes,
    Status,
    Described,
    GeneralView,
    GalleryLine,
    Glossary,
    Calling,
    RunAsked,
    WhatIf,
    Answer,
    Refusal,
    Question,
    Refused,
    SetAnswer,
    CurveAnswer,
    LookAnswer,
    LabPacket,
    ExportAnswer,
    PairAnswer,
    ServedAnswer,
    PictureAnswer,
    RegretAnswer,
    RoundAnswer,
    LearnOpening,
    LessonAnswer,
    Verdict,
    Standing,
)
RECORDS = {name: kind for family in FAMILIES for name, kind in family.records.items()}
ALIASES = {
    Message: "Message",
    CompareMessage: "CompareMessage",
    LabMessage: "LabMessage",
    RunHead: "RunHead",
    Piece: "Piece",
    SettingValue: "SettingValue",
}
SPARSE = frozenset({Node})  # records whose empty fields are left out on the way
SIMPLE = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    Any: "unknown",
    object: "unknown",
}
HEAD = """\
// What the server sends and what a trace holds. Made by python -m app.view_types: do not edit.

import type { Draws } from "./page.js";
"""


def declarations(roots: Sequence[Any] = ROOTS) -> str:
    """What the roots lead to, as the text of ``app/static/types.d.ts``."""
    return HEAD + "".join(f"\n{text}\n" for _, text in sorted(_Declarations(roots).declared.items()))


class _Declarations:
    """Every class that the roots lead to, by name."""

    def __init__(self, roots: Sequence[Any]) -> None:
        self.declared: dict[str, str] = {}
        self._classes: dict[str, type] = {}
        for kind, name in ALIASES.items():
            self.declared[name] = f"export type {name} = {self._spelt(kind)};"
        for root in (*roots, *RECORDS.values()):
            self._of(root)
        self._panels()

    def _of(self, kind: Any) -> str:
        """A type as TypeScript writes it."""
        return ALIASES.get(kind) or SIMPLE.get(kind) or self._spelt(kind)

    def _spelt(self, kind: Any) -> str:
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            for mark in arguments[1:]:
                if isinstance(mark, ById):
                    return mark.name
                if isinstance(mark, JsonOf):
                    return self._json(mark)
            return self._of(arguments[0])
        if origin is Literal:
            return " | ".join(map(json.dumps, arguments))
        if origin in (Union, UnionType):
            return " | ".join(dict.fromkeys(map(self._of, arguments)))
        if origin is tuple and arguments[-1] is not ...:
            return f"[{', '.join(map(self._of, arguments))}]"
        if origin in (list, tuple, Sequence):
            return f"Array<{self._of(arguments[0])}>"
        if origin in (dict, Mapping):
            return f"Record<string, {self._of(arguments[1])}>"
        return self._named(kind)

    def _panels(self) -> None:
        """The views by their panels' ids, and the modules that draw them."""
        rounds = [panel for panel in PANELS if isinstance(panel, RoundPanel)]
        runs = [panel for panel in PANELS if isinstance(panel, RunPanel)]
        totals = (f"{_key(panel.id)}?: string" for panel in rounds if panel.total)
        self._interface("RoundPanels", (self._view(panel) for panel in rounds))
        self._interface("LivePanels", (self._view(panel) for panel in runs if panel.live))
        self._interface(
            "RunPanels", [*(self._view(panel, "?") for panel in runs), *totals]
        )  # a cut run has the live ones
        self._interface("PanelModules", (self._module(panel) for panel in PANELS if panel.module))

    def _view(self, panel: Panel, optional: str = "") -> str:
        return f"{_key(panel.id)}{optional}: {self._of(_view_of(panel))} | null"

    def _module(self, panel: Panel) -> str:
        """The module of that name takes the panel's view, or the checker says so."""
        return f'{_key(panel.id)}: Draws<typeof import("./{panel.module}.js"), {self._of(_view_of(panel))}>'

    def _interface(self, name: str, fields: Iterable[str]) -> None:
        self.declared[name] = "\n".join([f"export interface {name} {{", *(f"  {field};" for field in fields), "}"])

    def _json(self, mark: JsonOf) -> str:
        name = self._named(mark.record)
        left = " | ".join(f'"{field}"' for field in mark.without)
        added = f" & {self._named(mark.plus)}" if mark.plus else ""
        return f"Omit<{name}, {left}>{added}" if left else f"{name}{added}"

    def _named(self, kind: type) -> str:
        name = kind.__name__
        if self._classes.setdefault(name, kind) is not kind:
            raise TypeError(f"two classes are called {name}")
        if name not in self.declared:
            self.declared[name] = ""  # records may hold each other
            self._interface(name, self._fields(kind))
        return name

    def _fields(self, kind: type) -> Iterator[str]:
        if issubclass(kind, BaseModel):
            for name, field in kind.model_fields.items():
                if kind is Step and name == "records":  # in JSON each stands beside the other fields
                    yield from (f"{n}?: {self._of(record)} | null" for n, record in RECORDS.items())
                else:
                    yield self._field(name, field.annotation, optional=kind in SPARSE and field.default is None)
        elif is_typeddict(kind):
            for name, hint in get_type_hints(kind, include_extras=True).items():
                marked = get_origin(hint) is NotRequired
                optional = marked or name in vars(kind)["__optional_keys__"]  # total=False
                yield self._field(name, get_args(hint)[0] if marked else hint, optional=optional)
        elif is_dataclass(kind):
            hints = get_type_hints(kind, include_extras=True)
            yield from (self._field(field.name, hints[field.name]) for field in fields(kind))
        else:
            raise TypeError(f"{kind} has no fields to declare")

    def _field(self, name: str, kind: Any, *, optional: bool = False) -> str:
        if optional:
            kind = _present(kind)
        return f"{name}{'?' if optional else ''}: {self._of(kind)}"


def _view_of(panel: Panel) -> Any:
    """What the panel is drawn from, where there is something to show."""
    if panel.module is None:
        return GeneralView
    return _present(get_type_hints(panel.view, include_extras=True)["return"])


def _present(kind: Any) -> Any:
    """A type without its None."""
    parts = tuple(part for part in get_args(kind) if part is not NoneType)
    return Union[parts] if NoneType in get_args(kind) else kind  # noqa: UP007


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


if __name__ == "__main__":
    sys.stdout.write(declarations())
