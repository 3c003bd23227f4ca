// Rounds at which a presenter stops, and why; found in the steps alone.

/** @import { Step } from "./types.js" */

const COPIES = new Set(["dynamic", "static", "datastore"]);

/**
 * The first rejection, the longest copy and the first relaxed token, by their rounds from 0.
 *
 * @param {Step[]} steps
 * @returns {Map<number, string>}
 */
export function tellingRounds(steps) {
  /** @type {Map<number, string>} */
  const found = new Map();
  const rejection = steps.findIndex(({ trees }) => trees.final.some((node) => node.outcome === "rejected"));
  if (rejection >= 0) found.set(rejection, "The first rejection");
  const copied = steps.map(copiedTokens);
  const most = copied.reduce((a, b) => Math.max(a, b), 0);
  if (most) found.set(copied.indexOf(most), `The longest copy: ${most} ${most === 1 ? "token" : "tokens"}`);
  const relaxed = steps.findIndex(({ commit }) => commit.n_relaxed > 0);
  if (relaxed >= 0) found.set(relaxed, "The first token that is not the target's own");
  return found;
}

/** @param {Step} step */
function copiedTokens({ trees, commit }) {
  const path = new Set(commit.path_node_ids);
  return trees.final.filter((node) => path.has(node.id) && node.sources.some((source) => COPIES.has(source))).length;
}

/**
 * A round in a sentence or two, for those who listen.
 *
 * @param {Step} step
 * @returns {string}
 */
export function narrated({ trees, commit }) {
  const drafted = trees.final.length - 1;
  const own = commit.extra ? ` The target adds one of its own: a ${commit.extra.kind}.` : "";
  if (!drafted) return "Nothing is drafted: the target writes one token alone.";
  const guesses = drafted === 1 ? "One token is guessed" : `${drafted} tokens are guessed`;
  const relaxed = commit.n_relaxed ? `, ${commit.n_relaxed} of them although it wanted others` : "";
  const kept = commit.n_accepted ? `the target accepts ${commit.n_accepted}${relaxed}` : "the target accepts none";
  return `${guesses}, ${kept}.${own}`;
}
