// A token or a draft node with all its numbers and a sentence that says why it is there.

import { h } from "./dom.js";
import { visible } from "./signs.js";
import { percent } from "./scales.js";
import { OUTCOMES, sourceName, sourceOf } from "./vocabulary.js";

/** @import { Child } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Candidate, Node, Token } from "./types.js" */

/** @typedef {keyof typeof OUTCOMES} Outcome */
/** @typedef {Array<[string, string | number] | false>} Facts */
/** @typedef {(name: string, value: string) => Child} Word what a fact is called; it may explain itself */

/** @type {Word} */
const PLAIN = (name) => name;

/** @param {string} piece */
const quote = (piece) => `‘${visible(piece)}’`;

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

const OWN = -1; // the mark of the target's own token, which is no draft node

/**
 * @param {Store} store
 * @param {number} round
 * @param {number} id
 * @param {Word} [word]
 */
export function nodeCard(store, round, id, word = PLAIN) {
  if (id === OWN) {
    const last = store.starts[round] + store.steps[round].commit.emitted_ids.length - 1;
    return tokenCard(store, last, word);
  }
  const node = store.steps[round]?.trees.final[id];
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
      node.draft_p !== undefined && ["draft probability", percent(node.draft_p)],
      node.path_score !== undefined && ["path score", node.path_score.toFixed(3)],
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
 * @param {Store} store
 * @param {number} round
 * @param {Node} node
 */
function nodeSentence(store, round, node) {
  const step = store.steps[round];
  if (node.outcome === "strict_accept") return "The target would have written the same token.";
  const passed = PASSED_BY[node.outcome ?? ""];
  if (passed) return `Not the target's choice, but it passed ${passed}.`;
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
