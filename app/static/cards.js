// A token or a draft node with all its numbers and a sentence that says why it is there.

import { h } from "./dom.js";
import { grownIn, growthOrder, whyLeft } from "./growth.js";
import { nodeOf, OWN, selected } from "./picks.js";
import { isolated, visible } from "./signs.js";
import { percent } from "./scales.js";
import { OUTCOMES, sourceName, sourceOf } from "./vocabulary.js";

/** @import { Child, Selection } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Candidate, Node, Step, Token, Trees } from "./types.js" */

/** @typedef {keyof typeof OUTCOMES} Outcome */
/** @typedef {Array<[string, string | number] | false>} Facts */
/** @typedef {(name: string, value: string) => Child} Word what a fact is called; it may explain itself */

/** @type {Word} */
const PLAIN = (name) => name;

/** @param {string} piece */
const quote = (piece) => `‘${isolated(piece)}’`;

/**
 * @param {Store} store
 * @param {number} index
 * @param {Word} [word]
 */
export function tokenCard(store, index, word = PLAIN) {
  const token = store.tokens[index];
  if (!token) return null;
  return card({
    piece: token.piece,
    outcome: token.outcome,
    sentence: tokenSentence(token),
    facts: [
      ["target probability", percent(token.p)],
      ["rank", token.rank],
      ["entropy", `${token.entropy.toFixed(2)} nats`],
      token.decided_p !== null && ["after sampling settings", percent(token.decided_p)],
      ["source", `${sourceOf(token.source).glyph} ${sourceName(token.source)}`],
      ...draftFacts(store.steps[token.round], nodeOf(store, selected(store, { token: index }))),
      ["position · round", `${index} · ${token.round + 1}`],
      ["token id", token.id],
    ],
    top: token.top,
    chosen: token.id,
    word,
  });
}

/** @type {Record<string, string>} */
const PASSED_BY = {
  relaxed_accept: "the relaxed rule",
  fly_accept: "FLy: the target was unsure here, and agrees with what follows",
};

/** @param {Token} token */
function tokenSentence(token) {
  if (token.wish) {
    const passed = `${quote(token.piece)} (${percent(token.p)}, rank ${token.rank}) passed ${PASSED_BY[token.outcome]}`;
    return `The target wanted ${quote(token.wish.text)} (${percent(token.wish.p)}); ${passed}.`;
  }
  return {
    strict_accept: `Proposed by ${sourceName(token.source)}; the target agreed.`,
    relaxed_accept: "Not the target's choice, but the relaxed rule let it pass.",
    fly_accept: "Not the target's choice, but FLy let it pass.",
    correction: "The draft said something else here; this is the target's own choice.",
    bonus: "The whole draft was accepted, so the same pass gave this token as well.",
    plain: "No draft in this round: one target pass, one token.",
  }[token.outcome];
}

/**
 * @param {Store} store
 * @param {number} round
 * @param {number} id
 * @param {Word} [word]
 */
export function nodeCard(store, round, id, word = PLAIN) {
  const step = store.steps[round];
  if (!step) return null;
  const { emitted_ids: emitted, path_node_ids: path } = step.commit;
  const place = id === OWN ? emitted.length - 1 : path.indexOf(id);
  if (place >= 0) return tokenCard(store, store.starts[round] + place, word);
  const node = step.trees.final[id];
  if (!node) return null;
  if (id === 0) {
    return card({
      piece: node.text,
      outcome: null,
      sentence: "The last committed token: the draft continues from here.",
      facts: [["token id", node.token]],
      word,
    });
  }
  return card({
    piece: node.text,
    outcome: node.outcome || "pending",
    sentence: nodeSentence(store, round, node),
    facts: [
      node.target_p !== undefined && ["target probability", percent(node.target_p)],
      node.target_rank !== undefined && ["rank", node.target_rank],
      node.target_entropy !== undefined && ["entropy", `${node.target_entropy.toFixed(2)} nats`],
      ...draftFacts(step, node),
      ["source", node.sources.map((s) => `${sourceOf(s).glyph} ${sourceName(s)}`).join(" + ")],
      ["depth", node.depth],
      ["token id", node.token],
    ],
    top: node.target_top,
    chosen: node.token,
    word,
  });
}

/**
 * What the draft says of a node.
 *
 * @param {Step | undefined} step
 * @param {Node | null} node
 * @param {number | undefined} [grew] its number in the order of growth
 * @returns {Facts}
 */
function draftFacts(step, node, grew = step && node ? growthOrder(step).get(node.id) : undefined) {
  return [
    node?.draft_p !== undefined && ["draft probability", percent(node.draft_p)],
    node?.path_score !== undefined && ["path score", node.path_score.toFixed(3)],
    Boolean(grew) && ["grown", `${grew} of ${grownIn(step).length - 1}`],
  ];
}

/**
 * A node that was left out before the target saw it.
 *
 * @param {Store} store
 * @param {number} round
 * @param {keyof Trees} tree
 * @param {number} id
 * @param {Word} [word]
 */
export function leftCard({ steps }, round, tree, id, word = PLAIN) {
  const step = steps[round];
  const node = step?.trees[tree]?.[id];
  if (!step || !node) return null;
  return card({
    piece: node.text,
    outcome: "pruned",
    sentence: `Not sent: ${whyLeft(step, tree, node)}.`,
    facts: [
      ...draftFacts(step, node, tree === "drafter" ? id : undefined),
      ["source", node.sources.map((s) => `${sourceOf(s).glyph} ${sourceName(s)}`).join(" + ")],
      ["depth", node.depth],
      ["token id", node.token],
    ],
    word,
  });
}

/**
 * The card of what is selected, from whatever panel; none for a whole round.
 *
 * @param {Store} store
 * @param {Selection} selection
 * @param {Word} [word]
 */
export function selectionCard(store, selection, word) {
  const { round, token, node, left, guess, hit } = selection;
  if (left) return leftCard(store, round, ...left, word);
  if (guess) return guessCard(store.steps[round], guess, word);
  if (node !== null) return nodeCard(store, round, node, word);
  if (hit !== undefined) return hitCard(store.steps[round], hit, word);
  return token === null ? null : tokenCard(store, token, word);
}

/**
 * @param {Step | undefined} step
 * @param {[depth: number, id: number]} guess of a lattice
 * @param {Word} [word]
 */
function guessCard(step, [depth, id], word = PLAIN) {
  const place = step?.lattice?.positions[depth - 1]?.cand ?? [];
  const rank = place.findIndex(({ token }) => token === id);
  if (rank < 0) return null;
  const { text, logp_dlm: logp, kept } = place[rank];
  const sentence = kept
    ? "A guess of the diffusion model for this place; the search took another."
    : "A guess of the diffusion model for this place, cut before the search.";
  /** @type {Facts} */
  const facts = [
    ["probability", percent(Math.exp(logp))],
    ["rank", rank + 1],
    ["depth", depth],
    ["token id", id],
  ];
  return card({ piece: text, outcome: "pruned", sentence, facts, word });
}

/**
 * @param {Step | undefined} step
 * @param {number} id of a candidate of which nothing was sent
 * @param {Word} [word]
 */
function hitCard(step, id, word = PLAIN) {
  const hit = step?.retrieval.find((one) => one.id === id);
  if (!hit) return null;
  const sentence = hit.why
    ? `A candidate to copy, not sent: ${hit.why}.`
    : "A candidate to copy; nothing of it was sent.";
  /** @type {Facts} */
  const facts = [
    ["match", hit.match_len],
    ["position", hit.end_pos],
  ];
  return card({ piece: hit.continuation.slice(0, 60), outcome: "pruned", sentence, facts, word });
}

/**
 * @param {Store} store
 * @param {number} round
 * @param {Node} node
 */
function nodeSentence(store, round, node) {
  const step = store.steps[round];
  if (node.outcome === "unreached") return "Behind a rejected guess: the target's opinion of it does not count.";
  if (node.outcome !== "rejected") return "Waiting for the target.";
  const accepted = new Set(step.commit.path_node_ids);
  const sibling = step.trees.final.find((n) => n.parent === node.parent && accepted.has(n.id));
  const last = store.tokens[store.starts[round] + step.commit.emitted_ids.length - 1];
  const wanted = sibling ?? (last && { token: last.id, text: last.piece });
  if (!wanted) return `The target did not want ${quote(node.text)}.`;
  const among = node.target_top.find((c) => c.token === wanted.token);
  const p = among ? ` (${percent(among.p)})` : "";
  const found =
    node.target_p === undefined ? "probability not recorded" : `${percent(node.target_p)}, rank ${node.target_rank}`;
  return `The target wanted ${quote(wanted.text)}${p}; the draft said ${quote(node.text)} (${found}).`;
}

/**
 * @param {{ piece: string, outcome: Outcome | null, sentence: string, facts: Facts, word: Word, top?: Candidate[],
 *   chosen?: number }} told
 */
function card({ piece, outcome, sentence, facts, word, top = [], chosen }) {
  const kind = outcome ? OUTCOMES[outcome] : null;
  return h(
    "div",
    { class: "rs-card-body" },
    h(
      "div",
      { class: "rs-card-head" },
      h("code", { class: "rs-piece", text: visible(piece) }),
      kind && h("span", { class: `rs-chip rs-chip-${outcome}`, text: `${kind.glyph} ${kind.name}` }),
    ),
    h("p", { class: "rs-card-why", text: sentence }),
    h(
      "dl",
      { class: "rs-facts" },
      facts.map((fact) => fact && [h("dt", {}, word(fact[0], String(fact[1]))), h("dd", { text: String(fact[1]) })]),
    ),
    top.length > 0 && best(top, chosen),
  );
}

/**
 * @param {Candidate[]} top
 * @param {number} [chosen]
 */
function best(top, chosen) {
  return h(
    "div",
    { class: "rs-top" },
    h("div", { class: "rs-top-title", text: "the target's five best" }),
    top.map((candidate) =>
      h(
        "div",
        { class: "rs-top-row" + (candidate.token === chosen ? " is-chosen" : "") },
        h("code", { text: visible(candidate.text) }),
        h("span", { class: "rs-top-bar" }, h("span", { style: { width: `${Math.max(1, 100 * candidate.p)}%` } })),
        h("span", { class: "rs-top-p", text: percent(candidate.p) }),
      ),
    ),
  );
}
