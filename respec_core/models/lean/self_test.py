"""Whether this machine computes a lean network so that a token's logits do not depend, to the last bit, on its company."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from respec_core.engine.tree import DraftTree
from respec_core.models.lean.cache import RowCache
from respec_core.models.lean.network import LeanNetwork

PROMPT, TEXT = 24, 24  # tokens
BLOCKS = (2, 3, 5, 8, 16, 24)
TREES = 4


def exact_to_the_bit(network: LeanNetwork, vocab: int, seed: int = 0) -> bool:
    """Compare random blocks and trees, each kept in part, with plain decoding of the same random text.

    On one thread and on as many as are set now: about fifty small forwards each.
    """
    threads = torch.get_num_threads()
    try:
        for count in sorted({1, threads}):
            torch.set_num_threads(count)
            if not _exact(network, vocab, random.Random(seed)):
                return False
    finally:
        torch.set_num_threads(threads)
    return True


@torch.inference_mode()
def _exact(network: LeanNetwork, vocab: int, rng: random.Random) -> bool:
    ids = [rng.randrange(vocab) for _ in range(PROMPT + TEXT)]
    prompt, text = ids[:PROMPT], ids[PROMPT:]
    plain = torch.cat([logits for logits, _ in _decoded(network, prompt, text, [1] * TEXT)])
    if not bool(plain.isfinite().all()):
        return False
    for size in BLOCKS:
        blocks = [min(size, TEXT - at) for at in range(0, TEXT, size)]
        if not torch.equal(torch.cat([logits for logits, _ in _decoded(network, prompt, text, blocks)]), plain):
            return False
    for _ in range(TREES):
        for logits, at in _branching(network, prompt, text, vocab, rng):
            if not torch.equal(logits, plain[at : at + len(logits)]):
                return False
    return True


def _decoded(
    network: LeanNetwork, prompt: Sequence[int], text: Sequence[int], blocks: Sequence[int]
) -> Iterator[tuple[Tensor, int]]:
    """Logits of ``text`` fed in ``blocks``, each with the place it starts at."""
    cache, at = _read(network, prompt), 0
    for size in blocks:
        yield _tree_logits(network, cache, DraftTree.chain(text[at], text[at + 1 : at + size], "test")), at
        cache.keep(range(size))
        at += size


def _branching(
    network: LeanNetwork, prompt: Sequence[int], text: Sequence[int], vocab: int, rng: random.Random
) -> Iterator[tuple[Tensor, int]]:
    """Logits of ``text`` as one path of trees with wrong branches around it, of which only that path is kept."""
    cache, at = _read(network, prompt), 0
    while at < len(text):
        right = text[at : at + rng.randrange(1, 6)]
        tree = DraftTree.root(right[0])
        wrong = [[rng.randrange(vocab) for _ in range(rng.randrange(1, 5))] for _ in range(rng.randrange(6))]
        shared = [[*right[1 : rng.randrange(1, len(right) + 1)], *branch] for branch in wrong]
        branches = [*shared, list(right[1:])]
        rng.shuffle(branches)
        for branch in branches:
            tree = tree.merge(DraftTree.chain(right[0], branch, "test"))
        path = [0]
        for token in right[1:]:
            child = tree.child(path[-1], token)
            assert child is not None
            path.append(child)
        yield _tree_logits(network, cache, tree)[path], at
        cache.keep(path)
        at += len(path)


def _read(network: LeanNetwork, prompt: Sequence[int]) -> RowCache:
    cache = network.cache(PROMPT + TEXT)
    network.forward(prompt, range(len(prompt)), cache, None, prompt=True)
    cache.keep(range(len(prompt)))
    return cache


def _tree_logits(network: LeanNetwork, cache: RowCache, tree: DraftTree) -> Tensor:
    visible = torch.from_numpy(tree.ancestor_mask()) if len(tree) > 1 else None
    seen = network.forward(tree.tokens, [cache.length + depth for depth in tree.depths], cache, visible)
    return network.logits(seen.last)
