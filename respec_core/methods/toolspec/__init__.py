"""ToolSpec (arXiv 2604.13519). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.needs import Resource
from respec_core.methods.toolspec.record import ToolState
from respec_core.methods.toolspec.settings import ToolSpecSettings
from respec_core.methods.toolspec.sketch import sketch
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.settings.serving import nowhere
from respec_core.trace.traits import Traits

TOOLS = Resource(
    "tools",
    "write a JSON file of tool schemas and answers to earlier questions, and give --tools FILE.",
    kind="respec_core.methods.toolspec.toolbox:Toolbox",
    opener="respec_core.methods.toolspec.toolbox:open_toolbox",
    help="tool schemas beside those of the prompt, and earlier answers to copy from (toolspec)",
    metavar="FILE",
)
FAMILY = Family(
    "toolspec",
    (
        Method(
            "toolspec",
            "ToolSpec",
            "arXiv 2604.13519",
            "A tool's schema dictates a call's skeleton; earlier calls and remembered successors guess the rest.",
            ToolSpecSettings,
            "respec_core.methods.toolspec.drafter:build",
            presets=(AUTO, paper_preset(), tuned_preset(schema_nodes=32, fallback_nodes=31)),
            learns_from_rejected=lambda params, has: True,
            served=lambda params, beside: nowhere("None drafts from tool schemas."),
            front=("schema_nodes", "max_ngram", "min_ngram", "fallback_nodes"),
            sketch=sketch,
            traits=Traits(
                rule="priority",
                ngram=lambda params: int(params["max_ngram"]),
                levels=lambda params: True,
            ),
        ),
    ),
    records={"toolspec": ToolState},
    checks=(("tool state", "respec_core.methods.toolspec.state_check:state_problems"),),
    resources=(TOOLS,),
    panels=("app.panels.tool_call:PANEL",),
)
