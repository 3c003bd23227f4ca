// A run's own n-grams, smoothed: DiffuSpec's causal proxy without a corpus, as respec_core/methods/diffuspec/proxy.py has it.

/** @typedef {(context: readonly number[], tokens: readonly number[]) => number[]} LogP behind a context, natural */
/** @typedef {{ span: number, logP: LogP }} Proxy `span` is how many tokens before a candidate it looks at */

/** @typedef {{ total: number, followers: Map<number, number> }} Seen */

/**
 * @param {readonly number[]} text that was committed
 * @param {number} order tokens of the longest n-gram
 * @param {number} vocabulary its size
 * @returns {Proxy}
 */
export function ngramProxy(text, order, vocabulary) {
  const span = order - 1;
  /** @type {Map<string, Seen>} */
  const seen = new Map(); // behind each context, that of no token among them
  text.forEach((token, at) => {
    for (let from = Math.max(0, at - span); from <= at; from++) count(seen, text.slice(from, at).join(), token);
  });
  const logP = (/** @type {readonly number[]} */ context, /** @type {readonly number[]} */ tokens) => {
    const known = span ? context.slice(-span) : [];
    let p = tokens.map(() => 1 / vocabulary);
    for (let from = known.length; from >= 0; from--) {
      const found = seen.get(known.slice(from).join());
      if (!found) break; // a longer context was never seen either
      p = tokens.map((token, i) => wittenBell(found, token, p[i]));
    }
    return p.map(Math.log);
  };
  return { span, logP };
}

/**
 * @param {Map<string, Seen>} seen
 * @param {string} context
 * @param {number} token
 */
function count(seen, context, token) {
  const found = seen.get(context) ?? { total: 0, followers: new Map() };
  seen.set(context, found);
  found.total += 1;
  found.followers.set(token, (found.followers.get(token) ?? 0) + 1);
}

/**
 * Witten–Bell smoothing (Witten and Bell, 1991): as much is held back for new tokens as different ones were seen.
 *
 * @param {Seen} seen
 * @param {number} token
 * @param {number} shorter its probability behind the shorter context
 */
const wittenBell = ({ total, followers }, token, shorter) =>
  ((followers.get(token) ?? 0) + followers.size * shorter) / (total + followers.size);
