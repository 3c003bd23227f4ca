// The numbers of what is looked at in Live, for the words of the glossary: a round, or the token that is picked.

import { visible } from "./signs.js";
import { OUTCOMES, sourceOf } from "./vocabulary.js";

/** @import { Store } from "./store.js" */
/** @import { RoundPanels, RunPanels } from "./types.js" */

/** @type {Record<string, (store: Store) => string>} */
const OF_PANEL = {
  text: written,
  why: judged,
  tree: drafted,
  entropy: uncertainty,
  retrieval: copied,
  calibration: ({ panels }) => panels.calibration?.calibration?.sentence ?? "",
  trigger: ({ step }) => step?.decision.reason ?? "",
  timeline: spent,
  metrics: ({ tokens, steps }) => (steps.length ? `${tokens.length} tokens ÷ ${steps.length} passes` : ""),
};

/**
 * @param {Store} store
 * @param {string} panel its id
 * @returns {string} empty where there is nothing to say
 */
export function numbersHere(store, panel) {
  const own = OF_PANEL[panel];
  if (own) return store.step ? own(store) : "";
  const { panels } = store;
  const view =
    store.view?.panels[/** @type {keyof RoundPanels} */ (panel)] ?? panels[/** @type {keyof RunPanels} */ (panel)];
  return typeof view === "object" && view && "sentence" in view ? view.sentence : "";
}

/** @param {Store} store */
function drafted({ step, round }) {
  const nodes = step?.trees.final ?? [];
  const deep = Math.max(0, ...nodes.map(({ depth }) => depth));
  return `round ${round + 1} sent ${nodes.length - 1} nodes, ${deep} deep; ${step?.commit.n_accepted} were accepted`;
}

/** @param {Store} store */
function copied({ step, round }) {
  const nodes = (step?.trees.final ?? []).slice(1);
  const copies = nodes.filter(({ sources }) => sources.some((source) => sourceOf(source).glyph === "◆"));
  return `${copies.length} of the ${nodes.length} nodes of round ${round + 1} are copies`;
}

/** @param {Store} store */
function written({ tokens, step, round }) {
  const now = tokens.filter((token) => token.round === round).map(({ outcome }) => OUTCOMES[outcome].name);
  return step ? `${tokens.length} tokens; round ${round + 1} wrote ${now.length}: ${now.join(", ")}` : "";
}

/** @param {Store} store */
function judged(store) {
  const token = lookedAt(store);
  return token ? `‘${visible(token.piece)}’: target p ${token.p.toFixed(2)}, rank ${token.rank}` : "";
}

/**
 * The token that is picked, or the round's last.
 *
 * @param {Store} store
 */
function lookedAt({ selection, tokens, starts, step, round }) {
  const last = starts[round] + (step?.commit.emitted_ids.length ?? 0) - 1;
  return tokens[selection?.token ?? last];
}

/** @param {Store} store */
function uncertainty(store) {
  const token = lookedAt(store);
  if (!token) return "";
  const like = Math.exp(token.entropy).toFixed(1);
  return `${token.entropy.toFixed(2)} nats at ‘${visible(token.piece)}’, as unsure as between ${like} equal choices`;
}

/** @param {Store} store */
function spent({ step, round }) {
  const phases = Object.entries(step?.phase_ms ?? {}).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  return `round ${round + 1} took ${phases.join(", ")} ms`;
}
