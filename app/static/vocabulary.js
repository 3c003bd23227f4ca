// Names, marks and meanings of outcomes and sources: the legend, the cards and the tables all read them here.

/** @typedef {{ glyph: string, name: string, about: string }} Word */

export const OUTCOMES = {
  strict_accept: { glyph: "✓", name: "accepted", about: "drafted, and exactly what the target would have written" },
  relaxed_accept: {
    glyph: "≈",
    name: "relaxed",
    about: "drafted and let through although the target wanted another token (lossy)",
  },
  fly_accept: {
    glyph: "≈",
    name: "FLy",
    about: "drafted and let through although the target wanted another token: it agrees with what follows (lossy)",
  },
  correction: { glyph: "↻", name: "correction", about: "the target's own token after a rejected guess" },
  bonus: { glyph: "+", name: "bonus", about: "the target's own token after everything drafted was accepted" },
  plain: { glyph: "·", name: "plain", about: "nothing was drafted; one target pass wrote this token" },
  rejected: { glyph: "✗", name: "rejected", about: "drafted, but the target wanted another token" },
  unreached: { glyph: "○", name: "unreached", about: "behind a rejected guess: never compared" },
  sent: { glyph: "→", name: "sent", about: "drafted, and sent to the target" },
  pruned: { glyph: "✂", name: "pruned", about: "left out before the target saw it" },
  pending: { glyph: "…", name: "pending", about: "waiting for the target" },
};

/** @type {Record<string, Word>} */
export const SOURCES = {
  target: { glyph: "○", name: "target", about: "written by the target itself" },
  dynamic: { glyph: "◆", name: "prompt or output", about: "copied from the text so far" },
  static: { glyph: "◆", name: "corpus", about: "copied from a fixed corpus" },
  datastore: { glyph: "◆", name: "datastore", about: "copied from a document" },
  model: { glyph: "●", name: "draft model", about: "guessed by a smaller model or head" },
  recycle: { glyph: "■", name: "recycled", about: "guessed from earlier candidates" },
  logits: { glyph: "■", name: "logits", about: "guessed from the last logits" },
  both: { glyph: "◈", name: "drafter and retrieval", about: "guessed by the drafter, and copied too" },
  schema: { glyph: "■", name: "schema", about: "dictated by a schema" },
  dlm: { glyph: "▲", name: "diffusion", about: "guessed by a diffusion model" },
};

/**
 * @param {string} source names joined by `+`
 * @returns {Word}
 */
export function sourceOf(source) {
  const first = (source || "target").split("+")[0];
  return SOURCES[first] ?? { glyph: "●", name: source, about: "" };
}

/** @param {string} source */
export function sourceName(source) {
  return (source || "target")
    .split("+")
    .map((s) => SOURCES[s]?.name ?? s)
    .join(" + ");
}

/** @typedef {"outcome" | "entropy" | "probability" | "source"} Overlay */

/** @type {Array<{ id: Overlay, label: string, about: string }>} */
export const OVERLAYS = [
  { id: "outcome", label: "Outcome", about: "what became of each token" },
  { id: "entropy", label: "Entropy", about: "how uncertain the target was, in nats" },
  { id: "probability", label: "Probability", about: "how likely the target found the token" },
  { id: "source", label: "Source", about: "who proposed the token" },
];
