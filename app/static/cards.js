// A token or a draft node with all its numbers and a sentence that says why it is there.

import { h, visible } from "./dom.js";
import { percent } from "./scales.js";
import { OUTCOMES, sourceName, sourceOf } from "./vocabulary.js";

const quote = (piece) => `‘${visible(piece)}’`;

export function tokenCard(store, index) {
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
      token.decided_p != null && ["after sampling settings", percent(token.decided_p)],
      ["source", `${sourceOf(token.source).glyph} ${sourceName(token.source)}`],
      ["position · round", `${index} · ${token.round + 1}`],
      ["token id", token.id],
    ],
    top: token.top,
    chosen: token.id,
  });
}

function tokenSentence(token) {
  if (token.wish) {
    const passed = `${quote(token.piece)} (${percent(token.p)}, rank ${token.rank}) passed the relaxed rule`;
    return `The target wanted ${quote(token.wish.text)} (${percent(token.wish.p)}); ${passed}.`;
  }
  return (
    {
      strict_accept: `Proposed by ${sourceName(token.source)}; the target agreed.`,
      correction: "The draft said something else here; this is the target's own choice.",
      bonus: "The whole draft was accepted, so the same pass gave this token as well.",
      plain: "No draft in this round: one target pass, one token.",
    }[token.outcome] || ""
  );
}

export function nodeCard(store, round, id, pending) {
  const nodes = pending?.nodes || store.steps[round]?.trees.final;
  if (id === -1) {
    const last = store.starts[round] + store.steps[round].commit.emitted_ids.length - 1;
    return tokenCard(store, last);
  }
  const node = nodes?.[id];
  if (!node) return null;
  if (id === 0) {
    return card({
      piece: node.text,
      outcome: null,
      sentence: "The last committed token: the draft continues from here.",
      facts: [["token id", node.token]],
    });
  }
  return card({
    piece: node.text,
    outcome: node.outcome || "pending",
    sentence: nodeSentence(store, round, node),
    facts: [
      node.target_p != null && ["target probability", percent(node.target_p)],
      node.target_rank != null && ["rank", node.target_rank],
      node.target_entropy != null && ["entropy", `${node.target_entropy.toFixed(2)} nats`],
      node.draft_p != null && ["draft probability", percent(node.draft_p)],
      node.path_score != null && ["path score", node.path_score.toFixed(3)],
      ["source", node.sources.map((s) => `${sourceOf(s).glyph} ${sourceName(s)}`).join(" + ")],
      ["depth", node.depth],
      ["token id", node.token],
    ],
    top: node.target_top,
    chosen: node.token,
  });
}

function nodeSentence(store, round, node) {
  const step = store.steps[round];
  if (node.outcome === "strict_accept") return "The target would have written the same token.";
  if (node.outcome === "relaxed_accept") return "Not the target's choice, but the relaxed rule let it pass.";
  if (node.outcome === "unreached") return "Behind a rejected guess: the target's opinion of it does not count.";
  if (node.outcome !== "rejected") return "Waiting for the target.";
  const accepted = new Set(step.commit.path_node_ids);
  const sibling = step.trees.final.find((n) => n.parent === node.parent && accepted.has(n.id));
  const wanted = sibling || store.tokens[store.starts[round] + step.commit.emitted_ids.length - 1];
  if (!wanted) return `The target did not want ${quote(node.text)}.`;
  const best = node.target_top?.find((c) => c.token === (sibling ? sibling.token : wanted.id));
  const p = best ? ` (${percent(best.p)})` : "";
  const found =
    node.target_p == null ? "probability not recorded" : `${percent(node.target_p)}, rank ${node.target_rank}`;
  const want = quote(sibling ? sibling.text : wanted.piece);
  return `The target wanted ${want}${p}; the draft said ${quote(node.text)} (${found}).`;
}

function card({ piece, outcome, sentence, facts, top, chosen }) {
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
      facts.filter(Boolean).map(([name, value]) => [h("dt", { text: name }), h("dd", { text: String(value) })]),
    ),
    top?.length
      ? h(
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
        )
      : null,
  );
}
