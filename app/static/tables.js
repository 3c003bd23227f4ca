// The panels' contents as rows and columns.

import { OUTCOMES } from "./vocabulary.js";

const numeric = (key, label) => ({ key, label, numeric: true });

export function treeRows(store, round) {
  const nodes = store.steps[round]?.trees.final || [];
  return {
    columns: [numeric("id", "node"), numeric("parent", "parent"), { key: "text", label: "token", mono: true }, { key: "outcome", label: "outcome" },
      numeric("p", "target p"), numeric("rank", "rank"), numeric("q", "draft p"), { key: "source", label: "source" }],
    data: nodes.map((n) => ({
      id: n.id, parent: n.parent < 0 ? null : n.parent, text: n.text, outcome: n.id ? OUTCOMES[n.outcome]?.name : "root",
      p: n.target_p, rank: n.target_rank, q: n.draft_p, source: n.sources.join(" + "),
    })),
  };
}

export function tokenRows(store) {
  return {
    columns: [numeric("i", "position"), { key: "piece", label: "token", mono: true }, numeric("entropy", "entropy (nats)"), numeric("p", "p"), numeric("rank", "rank"),
      { key: "outcome", label: "outcome" }, numeric("round", "round")],
    data: store.tokens.map((t, i) => ({ i, piece: t.piece, entropy: t.entropy, p: t.p, rank: t.rank, outcome: OUTCOMES[t.outcome]?.name, round: t.round + 1 })),
  };
}

export function phaseRows(store) {
  const phases = [...new Set(store.steps.flatMap((step) => Object.keys(step.phase_ms)))];
  return {
    columns: [numeric("round", "round"), ...phases.map((p) => numeric(p, `${p} (ms)`)), numeric("tokens", "tokens")],
    data: store.steps.map((step) => ({ round: step.i + 1, ...step.phase_ms, tokens: step.commit.emitted_ids.length })),
  };
}

export function triggerRows(store, round) {
  const decision = store.steps[round]?.decision;
  return {
    columns: [numeric("k", "k"), numeric("H", "H_k"), numeric("C", "C_k"), { key: "best", label: "" }],
    data: (decision?.H || []).map((H, i) => ({ k: i + 1, H, C: decision.C[i], best: decision.k_star === i + 1 ? "★ minimum" : "" })),
  };
}
