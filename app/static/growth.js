// The tree that a drafter grew, in the order in which it did, and why some of its nodes were not sent.

import { visible } from "./signs.js";

/** @import { Node, Sizing, Step, TreeMark, TreeView, Trees } from "./types.js" */

const MOST_QUOTED = 200; // characters of a reason
const LETTERS = 12; // of a label, as in app/panels/tree.py

/**
 * Nodes in the order in which they grew, those left out included; none where no drafter grew a tree.
 *
 * @param {Step | undefined} step
 * @returns {Node[]}
 */
export function grownIn(step) {
  const nodes = step?.trees.drafter ?? [];
  return nodes.length > 1 ? nodes : [];
}

/** @type {WeakMap<Step, Map<number, number>>} */
const known = new WeakMap();

/**
 * @param {Step} step
 * @returns {Map<number, number>} by id of the verified tree, when a node grew
 */
export function growthOrder(step) {
  const before = known.get(step);
  if (before) return before;
  const { final } = step.trees;
  const found = new Map([[0, 0]]);
  const sent = new Map([[0, 0]]); // the drafter's ids to those of the verified tree
  for (const { id, parent, token } of grownIn(step).slice(1)) {
    const above = sent.get(parent);
    const same = final.find((node) => node.parent === above && node.token === token);
    if (!same) continue;
    sent.set(id, same.id);
    found.set(same.id, id);
  }
  known.set(step, found);
  return found;
}

/**
 * @param {Step} step
 * @returns {TreeView} every label begins with its number
 */
export function grownTree(step) {
  const nodes = grownIn(step);
  const became = new Map([...growthOrder(step)].map(([sent, id]) => [id, step.trees.final[sent]]));
  const marks = nodes.map((node) => markOf(node, became.get(node.id)));
  const left = nodes.filter((node) => !became.has(node.id)).length;
  const alt = `The drafter's tree as it grew: ${nodes.length - 1} nodes, ${left} of them not sent.`;
  return { marks, more: 0, alt };
}

/**
 * @param {Node} node
 * @param {Node | undefined} sent what it is in the verified tree
 * @returns {TreeMark}
 */
function markOf({ id, parent, text, sources }, sent) {
  const letters = [...visible(text)];
  const label = letters.length > LETTERS ? `${letters.slice(0, LETTERS - 1).join("")}…` : letters.join("");
  const judged = sent?.outcome && sent.outcome !== "unreached" ? sent.outcome : "sent";
  const look = parent < 0 ? "root" : sent ? judged : "pruned";
  return { id, parent, text: parent < 0 ? label : `${id} ${label}`, look, source: sources[0] ?? "target" };
}

/**
 * @param {Step} step
 * @param {keyof Trees} tree whose node it is
 * @param {Node} node
 * @returns {string} why it was not sent; empty where it was
 */
export function whyLeft({ trees, decision, retrieval }, tree, node) {
  switch (node.kept ? null : node.pruned_by) {
    case null:
      return "";
    case "rerank":
      return weaker(trees[tree] ?? [], node);
    case "topk_first":
      return (
        retrieval.find(({ id, why }) => why && node.hit_ids.includes(id))?.why.slice(0, MOST_QUOTED) ||
        NOT_AMONG_THE_BEST
      );
    case "budget":
      return overSize(decision.sizing, trees.final.length - 1);
    default:
      return "better nodes filled the draft";
  }
}

/**
 * @param {Sizing | null} sizing
 * @param {number} sent
 */
function overSize(sizing, sent) {
  if (!sizing) return `no room: better nodes filled the draft of ${sent}`;
  const { kept, proposed } = sizing;
  if (!kept) return `none of ${proposed} nodes was expected to pay for its time`;
  return `over the round's size: the best ${kept} of ${proposed} nodes were sent`;
}

const NOT_AMONG_THE_BEST = "its first token is not among the drafter's best";

/**
 * @param {Node[]} nodes
 * @param {Node} node
 */
function weaker(nodes, { path_score: score }) {
  const kept = nodes.slice(1).filter(({ pruned_by: by }) => by !== "rerank");
  const least = Math.min(...kept.map((one) => one.path_score ?? 0));
  if (score === undefined || !kept.length) return "better nodes filled the drafter's tree";
  return `reranked: its path score ${shown(score)} is not above the weakest that was kept, ${shown(least)}`;
}

/** @param {number} score */
const shown = (score) => (score && score < 0.001 ? score.toExponential(1) : score.toFixed(4));
