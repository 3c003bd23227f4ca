// What is picked in any panel, and where it stands in all the others: a place in the text, a node of the draft tree.

/** @import { Held } from "./held.js" */
/** @import { Picked, Selection } from "./page.js" */
/** @import { Node, Step } from "./types.js" */

export const OWN = -1; // the target's own token, which is no draft node

/**
 * @param {Held} held
 * @param {Picked} picked
 * @returns {Selection | null} none where the run has no such thing
 */
export function selected(held, picked) {
  if ("token" in picked) return ofToken(held, picked.token);
  const step = held.steps[picked.round];
  if (!step) return null;
  if ("node" in picked) return ofNode(held, step, picked.node, picked.tree ?? "final");
  if ("guess" in picked) return ofGuess(held, step, picked.guess);
  if ("hit" in picked) return ofHit(held, step, picked.hit);
  if ("back" in picked) return ofEarlier(held, step, picked.back);
  return { round: step.i, token: null, node: null };
}

/**
 * @param {Held} held
 * @param {Picked} picked what a panel shows
 * @param {Selection | null} selection
 * @returns {boolean} whether it is part of what is selected
 */
export function shows(held, picked, selection) {
  if (!selection) return false;
  if ("token" in picked) {
    const [from, to] = tokensOf(held, selection);
    return picked.token >= from && picked.token < to;
  }
  if (picked.round !== selection.round) return false;
  const node = nodeOf(held, selection);
  if ("node" in picked) {
    const one = selected(held, picked);
    if (one?.left) return same(one, selection);
    return one !== null && one.node !== null && one.node === selection.node;
  }
  if ("guess" in picked) {
    const { guess } = selection;
    const [depth, id] = guess ?? (node ? [node.depth, node.token] : [0, 0]);
    return depth === picked.guess[0] && id === picked.guess[1];
  }
  if ("hit" in picked) return selection.hit === undefined ? hits(node, picked.hit) : selection.hit === picked.hit;
  return !("back" in picked) || held.starts[picked.round] - picked.back === selection.token;
}

/**
 * @param {Held} held
 * @param {Selection | null} selection
 * @returns {[from: number, to: number]} places in the output: one, or those of a whole round, half open
 */
export function tokensOf({ starts, tokens }, selection) {
  if (!selection) return [0, 0];
  const { round, token } = selection;
  if (token !== null) return [token, token + 1];
  return whole(selection) ? [starts[round] ?? 0, starts[round + 1] ?? tokens.length] : [0, 0];
}

/**
 * @param {Held} held
 * @param {Selection | null} selection
 * @returns {Node | null} of the verified tree
 */
export function nodeOf(held, selection) {
  if (!selection || selection.node === null) return null;
  return held.steps[selection.round]?.trees.final[selection.node] ?? null;
}

/**
 * @param {Held} held
 * @returns {number | null} the chosen token, where it is one of its round's own: a link names it
 */
export function chosenToken({ selection, tokens }) {
  const token = selection?.token ?? null;
  return token !== null && tokens[token]?.round === selection?.round ? token : null;
}

/**
 * @param {Selection | null} one
 * @param {Selection | null} other
 */
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** A round with nothing of it: @param {Selection} selection */
const whole = ({ token, node, guess, left, hit }) =>
  token === null && node === null && !guess && !left && hit === undefined;

/**
 * @param {Held} held
 * @param {number} index
 * @returns {Selection | null}
 */
function ofToken({ tokens, steps, starts }, index) {
  const round = tokens[index]?.round;
  const path = steps[round]?.commit.path_node_ids;
  return path ? { round, token: index, node: path[index - starts[round]] ?? OWN } : null;
}

/**
 * @param {Held} held
 * @param {Step} step
 * @param {number} id
 * @param {"final" | "drafter" | "retrieval"} tree
 * @returns {Selection | null}
 */
function ofNode(held, step, id, tree) {
  const last = held.starts[step.i] + step.commit.emitted_ids.length - 1;
  if (id === OWN) return tree === "final" ? { round: step.i, token: last, node: OWN } : null;
  const nodes = step.trees[tree] ?? [];
  const node = nodes[id];
  if (!node) return null;
  const at = { round: step.i, token: placeOf(held, step, node.depth) };
  if (tree === "final") return { ...at, node: id };
  const sent = along(step.trees.final, wordsTo(nodes, node));
  return sent ? { ...at, node: sent.id } : { ...at, node: null, left: [tree, id] };
}

/**
 * @param {Held} held
 * @param {Step} step
 * @param {[depth: number, id: number]} guess
 * @returns {Selection}
 */
function ofGuess(held, step, [depth, id]) {
  const found = step.trees.final.filter((node) => node.depth === depth && node.token === id);
  const path = new Set(step.commit.path_node_ids);
  const node = found.find((one) => path.has(one.id)) ?? found[0];
  const at = { round: step.i, token: placeOf(held, step, depth) };
  return node ? { ...at, node: node.id } : { ...at, node: null, guess: [depth, id] };
}

/**
 * @param {Held} held
 * @param {Step} step
 * @param {number} hit
 * @returns {Selection | null} with the first node that was copied from it
 */
function ofHit(held, step, hit) {
  if (!step.retrieval.some(({ id }) => id === hit)) return null;
  const node = step.trees.final.find((one) => hits(one, hit));
  const token = placeOf(held, step, node?.depth ?? 1);
  return { round: step.i, token, node: node?.id ?? null, hit };
}

/**
 * @param {Held} held
 * @param {Step} step
 * @param {number} back
 * @returns {Selection | null} none where the prompt stands
 */
function ofEarlier({ starts }, { i }, back) {
  const token = starts[i] - back;
  return token >= 0 ? { round: i, token, node: back === 1 ? 0 : null } : null;
}

/**
 * @param {Held} held
 * @param {Step} step
 * @param {number} depth
 * @returns {number | null} the place in the output that nodes so deep are guesses for, where something was written
 */
function placeOf({ starts }, { i, commit }, depth) {
  const place = starts[i] + depth - 1;
  return place >= 0 && depth <= commit.emitted_ids.length ? place : null;
}

/**
 * @param {Node | null} node
 * @param {number} hit
 */
const hits = (node, hit) => Boolean(node?.hit_ids.includes(hit));

/**
 * @param {Node[]} nodes
 * @param {Node} node
 * @returns {number[]} the tokens from below the root down to it
 */
function wordsTo(nodes, node) {
  const words = [];
  for (let at = node; at.parent >= 0; at = nodes[at.parent]) words.unshift(at.token);
  return words;
}

/**
 * @param {Node[]} nodes
 * @param {number[]} words
 * @returns {Node | undefined} the node to which they lead
 */
function along(nodes, words) {
  /** @type {Node | undefined} */
  let at = nodes[0];
  for (const word of words) at = nodes.find(({ parent, token }) => parent === at?.id && token === word);
  return at;
}
