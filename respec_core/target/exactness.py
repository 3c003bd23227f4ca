"""Proof, at load, that tree verification in this model equals plain decoding in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from respec_core.errors import ReSpecError
from respec_core.tree import DraftTree

if TYPE_CHECKING:
    from respec_core.target.model import LanguageModel


def check_exactness(model: LanguageModel) -> None:
    """Compare a branching tree, its rollback and the next step with fresh forwards of the same paths.

    Costs five small forwards. Catches what no configuration says: positions that are ignored, masks that are
    dropped, caches that keep rejected rows.

    Raises:
        ReSpecError: if a difference is larger than the dtype's rounding explains.
    """
    ids = [1 + (7 * i) % (model.vocab_size - 1) for i in range(8)]
    prompt, (root, a, b, c) = ids[:4], ids[4:]
    tree = DraftTree.chain(root, [a], "probe").merge(DraftTree.chain(root, [b, c], "probe"))
    try:
        session = model.session(capacity=16)
        for _ in session.prefill(prompt, chunk=3):
            pass
        branches = session.forward(tree).logits
        session.keep([0, 2, 3])
        after = session.forward(DraftTree.root(a)).logits
        truth_a = _plain(model, [*prompt, root, a])
        truth_c = _plain(model, [*prompt, root, b, c])
        truth_next = _plain(model, [*prompt, root, b, c, a])
    except ReSpecError:
        raise
    except Exception as error:
        raise ReSpecError(
            f"{model.name} does not work with a tree cache ({type(error).__name__}: {error}); choose a full-attention decoder."
        ) from error
    tolerance = 1e-3 if model.network.dtype == torch.float32 else 0.1
    for seen, truth in ((branches[1], truth_a), (branches[3], truth_c), (after[0], truth_next)):
        scale = truth.abs().max().clamp(min=1.0)
        if not bool(((seen - truth).abs().max() / scale) <= tolerance):
            raise ReSpecError(
                f"{model.name} gives other logits for a draft tree than for plain decoding, so its output could not be trusted; choose a full-attention decoder."
            )


def _plain(model: LanguageModel, ids: list[int]) -> torch.Tensor:
    with torch.inference_mode():
        return model.network(input_ids=torch.tensor([ids], device=model.device), use_cache=False).logits[0, -1].float()
