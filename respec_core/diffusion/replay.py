"""What-if without a model: search a recorded lattice again under other settings. No torch.

The candidates are in the trace and the proxy counts what was committed before, so the search is repeated exactly. How
far the target would have gone along the new path is known from the recorded output: a strict greedy target takes a path
for as long as it equals the text that was written.
"""

from __future__ import annotations

from dataclasses import dataclass

from respec_core.diffusion.corpus_counts import CorpusCounts
from respec_core.diffusion.cps import Searched, Weighing, search
from respec_core.diffusion.lattice import Lattice
from respec_core.diffusion.proxy import MixedProxy, NGramProxy, Proxy
from respec_core.errors import ReSpecError
from respec_core.trace import Run, Step


@dataclass(frozen=True)
class Replayed:
    """A repeated search.

    Attributes:
        accepted: tokens of the best path that the recorded output confirms.
        known: whether the output says what comes next; False where it ends before the path does.
    """

    searched: Searched
    accepted: int
    known: bool


def search_again(
    run: Run,
    step: Step,
    *,
    lambda_dlm: float,
    tau: float,
    beam: int,
    length_normalised: bool = True,
    counts: CorpusCounts | None = None,
) -> Replayed:
    """The search of ``step`` under other settings.

    Args:
        counts: the corpus of the drafter, where the run's proxy was ``corpus`` and there is one.

    Raises:
        ReSpecError: if the step has no lattice, or its proxy was made of logits, which a trace does not hold.
    """
    if step.lattice is None:
        raise ReSpecError(f"Round {step.i} has no lattice: its draft did not come from a diffusion model.")
    prefix = [*run.prompt_ids, *run.output_ids][: step.ctx_len]
    columns = [position.cand for position in step.lattice.positions]
    eos = {candidate.token for column in columns for candidate in column if candidate.is_eos}
    tokens = [[candidate.token for candidate in column] for column in columns]
    log_p = [[candidate.logp_dlm for candidate in column] for column in columns]
    lattice = Lattice.of(tokens, log_p, tau, eos)
    weighing = Weighing(lambda_dlm, _proxy(run, prefix, counts), length_normalised)
    searched = search(lattice, weighing, prefix, beam)
    path, written = searched.paths[0].tokens, run.output_ids[step.ctx_len - len(run.prompt_ids) :]
    accepted = 0
    for ours, theirs in zip(path, written, strict=False):
        if ours != theirs:
            return Replayed(searched, accepted, True)
        accepted += 1
    return Replayed(searched, accepted, accepted == len(path))


def _proxy(run: Run, prefix: list[int], counts: CorpusCounts | None) -> Proxy | None:
    params = run.config["params"]
    if params["proxy"] == "none":
        return None
    if params["proxy"] == "recycling":
        raise ReSpecError("This run's proxy was made of the target's logits, which a trace does not hold.")
    session = NGramProxy(params["ngram"], int(run.models["target"]["vocab_size"]))
    session.read(prefix)
    return session if counts is None else MixedProxy(session, counts)
