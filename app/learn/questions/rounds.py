"""Questions about one round of a recorded run: what will be accepted, what follows."""

from __future__ import annotations

from app.learn.question import Question, among, counted
from app.learn.questions.asked import QuestionFields
from app.learn.recorded import telling_round
from app.learn.widget import Runs
from app.panels.labels import count, visible
from respec_core.errors import ReSpecError
from respec_core.trace.placing import placed_rounds


def accepted(fields: QuestionFields, runs: Runs) -> Question:
    """How many nodes of a round's draft the target accepts."""
    step = telling_round(runs(fields.trace), fields.round).step
    drafted, n = len(step.trees.final) - 1, step.commit.n_accepted
    return counted(
        f"In round {step.i + 1}, {count(drafted, 'token')} were drafted. How many does the target accept?",
        n,
        (0, n + 2, drafted, n - 2),
        f"Along one path from the root, {n} agree with the target; {drafted - n} are thrown away, whatever they cost.",
    )


def tokens(fields: QuestionFields, runs: Runs) -> Question:
    """How many tokens a round commits."""
    step = telling_round(runs(fields.trace), fields.round).step
    n, own = step.commit.n_accepted, len(step.commit.emitted_ids)
    return counted(
        f"Round {step.i + 1} accepted {count(n, 'drafted token')}. How many tokens did this one target pass commit?",
        own,
        (n, n - 1, own + 1),
        f"{n} accepted and one of the target's own: the pass that judges the draft has also read what comes behind it.",
    )


def own_token(fields: QuestionFields, runs: Runs) -> Question:
    """Whether the target's own token of a round is a correction or a bonus."""
    step = telling_round(runs(fields.trace), fields.round).step
    if step.commit.extra is None:
        raise ReSpecError(f"Round {step.i + 1} ended without a token of the target's own: name another.")
    said = {
        "correction": "a correction: a child was rejected",
        "bonus": "a bonus: the draft ended, nothing was rejected",
    }
    n, deepest = step.commit.n_accepted, max(node.depth for node in step.trees.final)
    return among(
        f"Round {step.i + 1}: the draft goes {deepest} deep, the accepted path {n}. The target's own token is …",
        said[step.commit.extra.kind],
        said.values(),
        f"The path ended at depth {n}, where the draft {'had no child' if step.commit.extra.kind == 'bonus' else 'offered others'}.",
        ordered=True,
    )


def first_child(fields: QuestionFields, runs: Runs) -> Question:
    """Which child of the root the target takes."""
    step = telling_round(runs(fields.trace), fields.round).step
    children = [node for node in step.trees.final if node.parent == 0]
    took = next((node for node in children if node.id in step.commit.path_node_ids), None)
    texts = [f"‘{visible(node.text)}’" for node in children[:4]]
    none = "none of them"
    right = none if took is None else f"‘{visible(took.text)}’"
    p = f", with p = {took.target_p:.2f}" if took is not None and took.target_p is not None else ""
    return among(
        f"Round {step.i + 1} offers {count(len(children), 'first token')}. Which one is the target's own?",
        right,
        [*[text for text in texts if text != right][:2], none],
        f"The target's favourite there is {right}{p}; a greedy, strict target takes nothing else.",
    )


def calm(fields: QuestionFields, runs: Runs) -> Question:
    """Which of two rounds the gate lets retrieve: the calmest or the most uncertain."""
    run = runs(fields.trace)
    known = [r for r in placed_rounds(run) if r.step.decision.H and r.step.decision.k_star]
    if len(known) < 2:
        raise ReSpecError("This question needs a run whose rounds recorded ReSpec's entropies: name another trace.")

    def entropy(i: int) -> float:
        decision = known[i].step.decision
        return decision.H[(decision.k_star or 1) - 1]

    low, high = min(range(len(known)), key=entropy), max(range(len(known)), key=entropy)
    names = {i: f"round {known[i].step.i + 1}: H = {entropy(i):.2f} nats" for i in (low, high)}
    return among(
        "θ is 1.5 nats. Before which of these rounds does the gate look for something to copy?",
        names[low],
        [names[high], names[low], "before both", "before neither"],
        f"Retrieval starts where H ≤ θ: {entropy(low):.2f} ≤ 1.5 < {entropy(high):.2f}. Low entropy means predictable text."
        if entropy(low) <= 1.5 < entropy(high)
        else f"The rule compares {entropy(low):.2f} and {entropy(high):.2f} with 1.5, and retrieves where H is not larger.",
        ordered=True,
    )
