"""A compiled forward computes what it computes as it is written, to the last bit."""

from __future__ import annotations

import pytest
import torch
from test_lean_forward import LAYERS, TREE, random_model
from tiny import FAMILIES, VOCAB

from respec_core.engine.tree import DraftTree
from respec_core.models.language_model import LanguageModel
from respec_core.models.lean import scripting
from respec_core.models.lean.int8 import processor_has_it
from respec_core.models.lean.stack import LayerStack


def made(family: str, kind: str) -> LanguageModel:
    """A random model of a family, in that kind."""
    model = random_model(family)
    if kind == "int8":
        return model.in_int8()
    return LanguageModel(model.network.to({"fp32": torch.float32, "bf16": torch.bfloat16}[kind]))


def written(model: LanguageModel) -> list[torch.Tensor]:
    """All that forwards over single tokens, a tree and a chain give, each more than once: the second is compiled anew."""
    session = model.session(64, LAYERS)
    seen = []
    for _ in session.prefill([(7 * i) % VOCAB for i in range(20)], chunk=7):
        pass
    for tree in [DraftTree.root(3), TREE, DraftTree.chain(5, range(6, 12), "x")] * 3:
        output = session.forward(tree)
        seen += [output.logits, *output.hidden.values()]
        session.keep([0])
    return seen


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", ["fp32", "bf16", "int8"])
def test_compiling_changes_no_bit(family, kind, monkeypatch):
    if kind == "int8" and not processor_has_it():
        pytest.skip("int8 needs an x86 processor")
    compiled = made(family, kind)
    ours = written(compiled)
    assert compiled.lean is not None
    assert isinstance(compiled.lean.stack, torch.jit.ScriptModule)
    monkeypatch.setattr(scripting, "AVAILABLE", False)
    plain = made(family, kind)
    assert plain.lean is not None and isinstance(plain.lean.stack, LayerStack)
    assert all(torch.equal(a, b) for a, b in zip(ours, written(plain), strict=True))
