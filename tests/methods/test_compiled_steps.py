"""Compiled drafters compute what they compute as they are written, whatever the sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest
import torch
from tiny import tiny_block, tiny_head, tiny_model

from respec_core.methods.diffuspec.context_rows import ContextRows
from respec_core.methods.diffuspec.linking import Linking
from respec_core.methods.diffuspec.one_pass import OnePass
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.session import EagleSession
from respec_core.methods.eagle.steps import HeadSteps
from respec_core.models.lean.int8 import processor_has_it
from respec_core.models.lean.rough import roughly

Network = TypeVar("Network", bound=torch.nn.Module)
KINDS = [
    "fp32",
    "bf16",
    pytest.param("int8", marks=pytest.mark.skipif(not processor_has_it(), reason="needs an x86 processor")),
]


def put(network: Network, kind: str) -> Network:
    """Its products in int8, or all of it in bf16, if asked for."""
    if kind == "int8":
        roughly(network)
    return network.bfloat16() if kind == "bf16" else network


def head_in(kind: str, layout: str) -> EagleHead:
    """A random head."""
    torch.manual_seed(0)
    target = tiny_model()
    config = replace(tiny_head(target).config, layout=layout, feature_layers=(-1,) if layout == "eagle" else (1, -1))
    head = EagleHead(config).eval().requires_grad_(False).attach(target.embedding.cpu())
    return put(head, kind)


def drafted(head: EagleHead) -> list[torch.Tensor]:
    """Rows read in several sizes, and levels of several widths below them."""
    torch.manual_seed(1)
    session = EagleSession(head, 8)
    width = head.config.target_width * len(head.config.feature_layers)
    seen = []
    for rows in (5, 1, 9):
        seen.append(session.extend(torch.randn(rows, width).to(head.dtype), range(1, rows + 1)))
    seen += session.grow([-1, -1, -1], [3, 4, 5], 2)
    seen += session.grow([0, 2], [6, 7], 4)
    seen += session.grow([3], [8], 1)
    seen.append(session.log_p(session.state[None]))
    return seen


@pytest.mark.parametrize("layout", ["eagle", "eagle3", "respec"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_compiled_head_changes_no_bit(kind, layout):
    head = head_in(kind, layout)
    written = drafted(head)
    head.steps = HeadSteps.compiled(head)
    assert isinstance(head.steps.step, torch.jit.ScriptModule)
    assert all(torch.equal(a, b) for a, b in zip(drafted(head), written, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_a_compiled_pass_changes_no_bit(kind):
    drafter = put(tiny_block(tiny_head(tiny_model())).drafter.cpu(), kind)
    written, compiled, c = OnePass(drafter), OnePass.compiled(drafter), drafter.config
    assert isinstance(compiled, torch.jit.ScriptModule)
    for rows in (1, 2, 40, 7):
        torch.manual_seed(rows)
        size = c.num_kv_heads, rows, c.head_dim
        row, *past = (torch.randn(s).to(drafter.mask) for s in (c.hidden_size, *[size] * 2 * c.num_layers))
        inputs = row, row.flip(0), torch.tensor(rows - 1), *past
        with torch.inference_mode():
            assert torch.equal(compiled(*inputs), written(*inputs))


@pytest.mark.parametrize("kind", KINDS)
def test_compiled_context_rows_change_no_bit(kind):
    drafter = put(tiny_block(tiny_head(tiny_model())).drafter.cpu(), kind)
    written, compiled = ContextRows(drafter), ContextRows.compiled(drafter)
    assert isinstance(compiled, torch.jit.ScriptModule)
    for rows in (1, 2, 40, 7):
        states, first = torch.randn(rows, drafter.config.hidden_size).to(drafter.mask), torch.tensor(rows + 2)
        with torch.inference_mode():
            assert torch.equal(compiled(states, first), written(states, first))


def test_compiled_links_change_no_bit():
    torch.manual_seed(0)
    said, rows, inner = torch.randn(60, 16), torch.randn(60, 8), torch.randn(8, 16)
    written, compiled = Linking(said, rows, inner), Linking.compiled(said, rows, inner)
    assert isinstance(compiled, torch.jit.ScriptModule)
    for k, cells, width in ((4, 20, 6), (1, 20, 15), (8, 60, 15), (3, 5, 9)):
        first = torch.randn(60).log_softmax(-1)
        entries = (
            torch.stack([torch.randperm(60)[:cells] for _ in range(k - 1)]) if k > 1 else torch.zeros(0, cells).long()
        )
        inputs = first, first.argmax(), entries, torch.randn(k - 1, cells + 1), torch.randn(k - 1, 16), width
        with torch.inference_mode():
            for a, b in zip(compiled(*inputs), written(*inputs), strict=True):
                assert len(a) == len(b) and all(map(torch.equal, a, b))
