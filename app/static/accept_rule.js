// Speculative sampling, one token at a time (arXiv 2211.17192 §2.3), and how far counts are from what is expected.

/** @typedef {{ guess: number, u: number, ratio: number, kept: boolean, written: number }} Draw */

/**
 * @param {number[]} weights that sum to 1
 * @param {() => number} random
 */
export function pick(weights, random) {
  let left = random();
  const at = weights.findIndex((weight) => (left -= weight) < 0);
  return at < 0 ? weights.findLastIndex((weight) => weight > 0) : at; // rounding
}

/**
 * @param {{ p: number[], q: number[], residual: number[] }} rule
 * @param {() => number} [random]
 * @returns {Draw}
 */
export function drawOne({ p, q, residual }, random = Math.random) {
  const guess = pick(q, random);
  const u = random();
  const ratio = Math.min(1, p[guess] / q[guess]);
  const kept = u <= ratio;
  return { guess, u, ratio, kept, written: kept ? guess : pick(residual, random) };
}

/**
 * Σ (counted − expected)² ÷ expected.
 *
 * @param {number[]} counts
 * @param {number[]} p
 */
export function chiSquare(counts, p) {
  const n = counts.reduce((a, b) => a + b, 0);
  return n ? counts.reduce((sum, count, i) => sum + (count - n * p[i]) ** 2 / (n * p[i]), 0) : 0;
}
