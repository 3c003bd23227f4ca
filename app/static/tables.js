// The panels' contents as rows and columns.

import { numberColumn } from "./dom.js";
import { grownIn, growthOrder, whyLeft } from "./growth.js";
import { visible } from "./signs.js";
import { OUTCOMES } from "./vocabulary.js";

/** @import { Rows } from "./figure_panel.js" */
/** @import { Store } from "./store.js" */
/** @import { Node } from "./types.js" */

/**
 * @param {Store} store
 * @param {number} round
 * @returns {Rows}
 */
export function treeRows(store, round) {
  const step = store.steps[round];
  const grew = step ? growthOrder(step) : new Map();
  const left = grownIn(step).filter(({ kept }) => !kept);
  return {
    columns: [
      numberColumn("id", "node"),
      numberColumn("parent", "parent"),
      { key: "text", label: "token", mono: true },
      { key: "outcome", label: "outcome" },
      numberColumn("p", "target p"),
      numberColumn("rank", "rank"),
      numberColumn("q", "draft p"),
      { key: "source", label: "source" },
      ...(grownIn(step).length
        ? [
            numberColumn("grew", "grown as"),
            numberColumn("score", "path score"),
            { key: "why", label: "left out because" },
          ]
        : []),
    ],
    data: [
      ...(step?.trees.final ?? []).map((n) => ({
        ...nodeRow(n),
        outcome: n.id ? OUTCOMES[n.outcome ?? "pending"].name : "root",
        grew: n.id ? grew.get(n.id) : null,
        why: "",
      })),
      ...left.map((n) => ({
        ...nodeRow(n),
        parent: null, // numbered in another tree
        tree: "drafter",
        class: "is-left",
        outcome: OUTCOMES.pruned.name,
        grew: n.id,
        why: step && whyLeft(step, "drafter", n),
      })),
    ],
  };
}

/** @param {Node} node */
const nodeRow = (node) => ({
  id: node.id,
  parent: node.parent < 0 ? null : node.parent,
  text: visible(node.text),
  p: node.target_p,
  rank: node.target_rank,
  q: node.draft_p,
  score: node.path_score,
  source: node.sources.join(" + "),
});

/**
 * @param {Store} store
 * @returns {Rows}
 */
export function tokenRows(store) {
  return {
    columns: [
      numberColumn("i", "position"),
      { key: "piece", label: "token", mono: true },
      numberColumn("entropy", "entropy (nats)"),
      numberColumn("p", "p"),
      numberColumn("rank", "rank"),
      { key: "outcome", label: "outcome" },
      numberColumn("round", "round"),
    ],
    data: store.tokens.map((t, i) => ({
      i,
      piece: visible(t.piece),
      entropy: t.entropy,
      p: t.p,
      rank: t.rank,
      outcome: OUTCOMES[t.outcome].name,
      round: t.round + 1,
    })),
  };
}

/**
 * @param {Store} store
 * @returns {Rows}
 */
export function phaseRows(store) {
  const phases = [...new Set(store.steps.flatMap((step) => Object.keys(step.phase_ms)))];
  return {
    columns: [
      numberColumn("round", "round"),
      ...phases.map((p) => numberColumn(p, `${p} (ms)`)),
      numberColumn("tokens", "tokens"),
    ],
    data: store.steps.map((step) => ({ round: step.i + 1, ...step.phase_ms, tokens: step.commit.emitted_ids.length })),
  };
}

/**
 * @param {Store} store
 * @param {number} round
 * @returns {Rows}
 */
export function triggerRows(store, round) {
  const decision = store.steps[round]?.decision;
  return {
    columns: [numberColumn("k", "k"), numberColumn("H", "H_k"), numberColumn("C", "C_k"), { key: "best", label: "" }],
    data: (decision?.H ?? []).map((H, i) => ({
      k: i + 1,
      H,
      C: decision?.C[i],
      best: decision?.k_star === i + 1 ? "★ minimum" : "",
    })),
  };
}
