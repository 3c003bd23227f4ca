"""Proof, at load, that tree verification in this model equals plain decoding in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError, reason

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel

PROMPT, ROWS = 4, 4  # tokens before the draft; positions that the draft and the step behind it reach over


def check_exactness(model: LanguageModel) -> None:
    """Compare a branching tree, its rollback and the next step with fresh forwards of the same paths.

    Once from the start, and once with the draft moved to the end of the context: rotary frequencies may depend on the
    furthest position of a forward (longrope, dynamic NTK), and the cache then holds keys of another kind than a fresh
    forward makes. Ten small forwards. Catches what no configuration says: positions that are ignored, masks that are
    dropped, caches that keep rejected rows.

    Raises:
        ReSpecError: if a difference is larger than the dtype's rounding explains.
    """
    for start in {PROMPT, max(PROMPT, model.max_context - ROWS)}:
        try:
            pairs = _probe(model, start)
        except ReSpecError:
            raise
        except Exception as error:
            raise ReSpecError(
                f"{model.name} does not work with a tree cache ({type(error).__name__}: {reason(error)}); choose a full-attention decoder."
            ) from error
        tolerance = 1e-3 if model.network.dtype == torch.float32 else 0.1
        for seen, truth in pairs:
            if not bool(truth.isfinite().all()):
                raise ReSpecError(
                    f"{model.name} gives logits that are not numbers: its weights are damaged, or too large for {model.dtype_name}."
                )
            seen, truth = seen[~seen.isneginf()], truth[~seen.isneginf()]  # without ids that are no token
            scale = truth.abs().max().clamp(min=1.0)
            if not bool(((seen - truth).abs().max() / scale) <= tolerance):
                raise ReSpecError(
                    f"{model.name} gives other logits for a draft tree than for plain decoding, so its output could not be trusted; choose a full-attention decoder."
                )


def _probe(model: LanguageModel, start: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Logits ``[vocab]`` through the cache beside those of a fresh forward; the draft's root is at position ``start``."""
    ids = [1 + (7 * i) % (model.vocab_size - 1) for i in range(PROMPT + ROWS)]
    prompt, (root, a, b, c) = ids[:PROMPT], ids[PROMPT:]
    tree = DraftTree.chain(root, [a], "probe").merge(DraftTree.chain(root, [b, c], "probe"))
    session = model.session(capacity=2 * (PROMPT + ROWS))
    for _ in session.prefill(prompt, chunk=3):
        pass
    branches = session.forward_nodes(tree.tokens, [start + d for d in tree.depths], tree.ancestor_mask()).logits
    session.keep([0, 2, 3])
    after = session.forward_nodes([a], [start + 3], None).logits
    return [
        (branches[1], _plain(model, [*prompt, root, a], start)),
        (branches[3], _plain(model, [*prompt, root, b, c], start)),
        (after[0], _plain(model, [*prompt, root, b, c, a], start)),
    ]


def _plain(model: LanguageModel, ids: Sequence[int], start: int) -> torch.Tensor:
    device, where = model.device, {}
    if start != PROMPT:  # otherwise the model numbers its input itself, which is part of what is checked
        positions = [*range(PROMPT), *range(start, start + len(ids) - PROMPT)]
        where = {
            "position_ids": torch.tensor([positions], device=device),
            "attention_mask": torch.ones((1, len(ids)), dtype=torch.long, device=device),  # one text, despite the gap
        }
    with torch.inference_mode():
        inputs = torch.tensor([list(ids)], device=device)
        return model.network(input_ids=inputs, use_cache=False, **where).logits[0, -1, : model.vocab_size].float()
