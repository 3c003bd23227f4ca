// A recorded lattice searched again under other settings (DiffuSpec, arXiv 2510.02358 §4.2), as cps.py does it in Python.

/** @import { Beam, Lattice, LatticePosition, Links } from "./types.js" */
/** @import { Proxy } from "./ngram_proxy.js" */

/** @typedef {{ lambda_dlm: number, tau: number, beam: number, length_normalised: boolean }} SearchSettings */
/** @typedef {{ tokens: number[], last: number, dlm: number, proxy: number, score: number, ended: boolean }} Path last: rank of its end */
/** @typedef {{ path: Path, token: number, last: number, dlm: number, proxy: number }} Extension */

/**
 * @param {Lattice} recorded
 * @param {Proxy | null} proxy as it stood behind the prefix; none where the run had none
 * @param {readonly number[]} prefix the text that the draft continued
 * @param {SearchSettings} settings
 * @returns {Lattice} as the trace would have recorded it
 */
export function searchAgain(recorded, proxy, prefix, { lambda_dlm, tau, beam, length_normalised }) {
  const eos = new Set(recorded.positions.flatMap(({ cand }) => cand.filter((c) => c.is_eos).map(({ token }) => token)));
  const positions = recorded.positions.map((position) => pruned(position, tau, eos));
  const weight = proxy ? lambda_dlm : 1;
  const total = (/** @type {number} */ dlm, /** @type {number} */ of, /** @type {number} */ length) => {
    const score = weight * dlm + (1 - weight) * of;
    return length_normalised ? score / length : score;
  };
  /** @type {Path[]} */
  let alive = [{ tokens: [], last: -1, dlm: 0, proxy: 0, score: 0, ended: false }];
  /** @type {Path[]} */
  const ended = [];
  for (const position of positions) {
    const longer = best(extended(alive, position, recorded.links?.[position.i], proxy, prefix), beam, weight).map(
      ({ path, token, last, dlm, proxy: of }) => {
        const tokens = [...path.tokens, token];
        return { tokens, last, dlm, proxy: of, score: total(dlm, of, tokens.length), ended: eos.has(token) };
      },
    );
    ended.push(...longer.filter((path) => path.ended));
    alive = longer.filter((path) => !path.ended);
    if (!alive.length) break;
  }
  const found = [...ended, ...alive].sort((a, b) => b.score - a.score).slice(0, beam);
  const beams = found.map((path) => beamOf(path, proxy !== null));
  return { ...recorded, positions, beams, chosen: 0, lambda_dlm: weight, tau };
}

/**
 * The mass rule (Eq. 7): the fewest candidates that reach τ together; every end of text is kept besides.
 *
 * @param {LatticePosition} position
 * @param {number} tau
 * @param {Set<number>} eos
 * @returns {LatticePosition}
 */
function pruned(position, tau, eos) {
  let mass = 0;
  const masses = position.cand.map(({ logp_dlm }) => (mass += Math.exp(logp_dlm)));
  const reached = masses.findIndex((sum) => sum >= tau);
  const M_i = reached < 0 ? masses.length : reached + 1;
  const cand = position.cand.map((candidate, rank) => {
    const kept = rank < M_i || eos.has(candidate.token);
    return { ...candidate, kept, pruned_by: kept ? null : /** @type {const} */ ("mass_tau") };
  });
  return { ...position, cand, M_i, mass_at_cut: masses[M_i - 1] };
}

/**
 * @param {Path[]} alive
 * @param {LatticePosition} position
 * @param {Links | undefined} links
 * @param {Proxy | null} proxy
 * @param {readonly number[]} prefix
 * @returns {Extension[]} every path by every candidate that was kept
 */
function extended(alive, { cand }, links, proxy, prefix) {
  const kept = cand.flatMap((candidate, rank) => (candidate.kept ? [{ ...candidate, rank }] : []));
  const tokens = kept.map(({ token }) => token);
  return alive.flatMap((path) => {
    const said = proxy?.logP(tail(prefix, path.tokens, proxy.span), tokens);
    const linked = links?.edges[path.last];
    return kept.map(({ token, rank, logp_dlm }, i) => ({
      path,
      token,
      last: rank,
      dlm: path.dlm + (linked ? linked[rank] : logp_dlm),
      proxy: path.proxy + (said ? said[i] : 0),
    }));
  });
}

/**
 * The tokens before the next candidate that a proxy looks at.
 *
 * @param {readonly number[]} prefix
 * @param {readonly number[]} path
 * @param {number} span
 */
function tail(prefix, path, span) {
  if (!span) return [];
  if (path.length >= span) return path.slice(-span);
  return [...prefix.slice(path.length - span), ...path];
}

/**
 * @param {Extension[]} extensions
 * @param {number} width
 * @param {number} weight
 * @returns {Extension[]} the best of them; ties stay in order
 */
function best(extensions, width, weight) {
  const scored = extensions.map((one) => ({ one, score: weight * one.dlm + (1 - weight) * one.proxy }));
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, width)
    .map(({ one }) => one);
}

/**
 * @param {Path} path
 * @param {boolean} weighed whether there was a proxy
 * @returns {Beam}
 */
const beamOf = ({ tokens, score, dlm, proxy, ended }, weighed) => ({
  tokens,
  score,
  dlm_sum: dlm,
  ngram_sum: weighed ? proxy : null,
  alive: !ended,
});
