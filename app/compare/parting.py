"""Where a text leaves the one it is held against, and why: the first of the reasons below that holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from app.compare.views import Kind, Parting
from app.panels.labels import short
from respec_core.methods.losses import losses
from respec_core.settings.knobs import said
from respec_core.settings.run_config import SamplingSettings
from respec_core.trace.differences import first_difference, repeats_itself
from respec_core.trace.schema import Run, Token

TIE, COARSE_TIE = 0.01, 0.5  # logits: how far rounding moves a score in fp32, and in half precision, at most
SHOWN = 24  # characters of a token in a sentence
ENDS = {
    "eos": "the target ended its text",
    "stop": "a stop string came up",
    "length": "its token limit was reached",
    "context": "the context was full",
    "cancelled": "it was stopped by hand",
}
Names = tuple[str, str]
Reason = tuple[Kind, str]


def parting(run: Run, reference: Run, names: Names) -> Parting | None:
    """The first difference of ``run`` to ``reference``, explained; None for equal texts.

    Prompts of the same ids have the same vocabulary, and their texts are compared by ids; others by what tokens say.

    Args:
        names: of the two, for the sentences.
    """
    if run.prompt_ids == reference.prompt_ids:
        at = first_difference(run.output_ids, reference.output_ids)
    else:
        at = first_difference(_pieces(run), _pieces(reference))
    if at is None:
        return None
    ours, theirs = _token(run, at), _token(reference, at)
    margin = _margin(ours, theirs)
    found = next(filter(None, (find(run, reference, at, names) for find in REASONS)), None)
    kind, reason = found or _rounding(run, reference, at)
    said = f"{names[0]} {_wrote(ours)}, {names[1]} {_wrote(theirs)}"
    return Parting(
        position=at,
        kind=kind,
        ours=ours.piece if ours else "",
        theirs=theirs.piece if theirs else "",
        margin=margin,
        sentence=f"Position {at}: {said}. {reason}",
    )


def _pieces(run: Run) -> Sequence[str]:
    return [token.piece for token in run.tokens]


def _token(run: Run, at: int) -> Token | None:
    return run.tokens[at] if at < len(run.tokens) else None


def _wrote(token: Token | None) -> str:
    return f"wrote ‘{short(token.piece, SHOWN)}’" if token else "has ended"


def _margin(ours: Token | None, theirs: Token | None) -> float | None:
    """Logits between the two tokens, as the reference's target saw them."""
    if ours is None or theirs is None:
        return None
    seen = {candidate.token: candidate.p for candidate in theirs.top}
    if not seen.get(ours.id) or not seen.get(theirs.id):
        return None
    return abs(math.log(seen[theirs.id]) - math.log(seen[ours.id]))


def _target(run: Run, reference: Run, at: int, names: Names) -> Reason | None:
    ours, theirs = run.models.get("target", {}), reference.models.get("target", {})
    apart = [name for name in ("name", "weights", "dtype", "device") if ours.get(name) != theirs.get(name)]
    if not apart:
        return None
    if apart[0] in ("name", "weights"):
        return "target", f"Another target decides: {ours.get('name')} instead of {theirs.get('name')}."
    return (
        "target",
        f"The target computes otherwise: {_computes(ours)} instead of {_computes(theirs)}, which rounds differently.",
    )


def _prompt(run: Run, reference: Run, at: int, names: Names) -> Reason | None:
    if run.prompt_ids == reference.prompt_ids:
        return None
    return "prompt", "The target read the same text as other tokens: the settings of the prompt differ."


def _computes(target: dict[str, str]) -> str:
    return f"{target.get('dtype')} on {target.get('device')}"


def _end(run: Run, reference: Run, at: int, names: Names) -> Reason | None:
    for name, ended in zip(names, (run, reference), strict=True):
        if at == len(ended.tokens):
            return "end", f"Up to there the texts are equal; {name} ends because {ENDS[ended.finish_reason]}."
    return None


def _sampling(run: Run, reference: Run, at: int, names: Names) -> Reason | None:
    ours, theirs = run.settings.sampling, reference.settings.sampling
    fields = SamplingSettings.model_fields
    greedy = ours.greedy and theirs.greedy
    relevant = ("repetition_penalty",) if greedy else tuple(fields)  # the others decide nothing where the best is taken
    apart = [name for name in relevant if getattr(ours, name) != getattr(theirs, name)]
    if not apart:
        return None
    told = [f"{fields[n].title} {said(getattr(ours, n))} instead of {said(getattr(theirs, n))}" for n in apart]
    return "sampling", f"They are decoded differently: {', '.join(told)}."


def _relaxed(run: Run, reference: Run, at: int, names: Names) -> Reason | None:
    for name, one in zip(names, (run, reference), strict=True):
        token = _token(one, at)
        if token is not None and token.wish is not None:
            wanted = f"‘{short(token.wish.text, SHOWN)}’ (p {token.wish.p:.2f})"
            passed = f"‘{short(token.piece, SHOWN)}’ (p {token.p:.2f}, rank {token.rank})"
            return (
                "relaxed",
                f"The rule of {name} let a drafted token pass, {passed}, where the target wanted {wanted}.",
            )
    return None


def _lossy(run: Run, reference: Run, at: int, names: Names) -> Reason | None:
    lost = [(name, loss) for name, one in zip(names, (run, reference), strict=True) for loss in losses(one.settings)]
    return ("lossy", f"{lost[0][0]} is lossy ({lost[0][1].name}). {lost[0][1].why}") if lost else None


def _draw(run: Run, reference: Run, at: int, names: Names) -> Reason | None:
    if run.settings.greedy:
        return None
    return "draw", "Both are drawn at random: strict verification keeps the distribution, not the single draw."


def _rounding(run: Run, reference: Run, at: int) -> Reason:
    """Greedy, strict, one target, one rule: only rounding may part them, and only where two tokens are nearly even."""
    margin = _margin(_token(run, at), _token(reference, at))
    full = repeats_itself(reference.models)
    if reference.settings.sampling.repetition_penalty != 1.0:
        return "unexplained", "The penalty on repeated tokens decides too, and the trace does not hold its scores."
    if margin is None:
        return "unexplained", "One of the two was not among the target's best candidates: rounding does not explain it."
    if margin <= (TIE if full else COARSE_TIE):
        return "tie", (
            f"A numeric tie: the target's scores of the two are {margin:.4f} logits apart, and a forward over several tokens "
            "rounds differently from one over a single token."
        )
    return (
        "unexplained",
        f"Their scores are {margin:.3f} logits apart, more than rounding explains: this looks like a fault.",
    )


REASONS: tuple[Callable[[Run, Run, int, Names], Reason | None], ...] = (
    _target, _prompt, _end, _sampling, _relaxed, _lossy, _draw,
)  # fmt: skip
