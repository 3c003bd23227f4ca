import assert from "node:assert/strict";
import test from "node:test";

import { chiSquare, drawOne, pick } from "../../app/static/accept_rule.js";

const RULE = { p: [0.5, 0.3, 0.2], q: [0.2, 0.7, 0.1], residual: [0.75, 0, 0.25] };

/** @param {number[]} numbers */
const given = (numbers) => () => /** @type {number} */ (numbers.shift());

/** A small generator, the same in every run. */
function seeded(seed = 7) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

test("a guess is kept where u is at most p over q", () => {
  assert.deepEqual(drawOne(RULE, given([0.5, 0.42])), { guess: 1, u: 0.42, ratio: 0.3 / 0.7, kept: true, written: 1 });
  const rejected = drawOne(RULE, given([0.5, 0.44, 0.8]));
  assert.equal(rejected.kept, false);
  assert.equal(rejected.written, 2);
});

test("a token that the target likes better is always kept", () => {
  assert.equal(drawOne(RULE, given([0.1, 0.999999])).kept, true);
});

test("what is written follows p, and the wrong rule does not", () => {
  const random = seeded();
  const counts = [0, 0, 0];
  const wrong = [0, 0, 0];
  for (let i = 0; i < 6000; i++) {
    const { guess, written } = drawOne(RULE, random);
    counts[written] += 1;
    wrong[RULE.p[guess] >= RULE.q[guess] ? guess : pick(RULE.residual, random)] += 1;
  }
  assert.ok(chiSquare(counts, RULE.p) < 13.8, String(counts));
  assert.ok(chiSquare(wrong, RULE.p) > 100, String(wrong));
});

test("χ² of nothing is 0, and of exactly what is expected too", () => {
  assert.equal(chiSquare([0, 0, 0], RULE.p), 0);
  assert.ok(chiSquare([50, 30, 20], RULE.p) < 1e-12);
  assert.ok(Math.abs(chiSquare([60, 20, 20], RULE.p) - (2 + 100 / 30)) < 1e-9);
});

test("a weight of nothing is never picked, even at the very end", () => {
  assert.equal(
    pick([0.4, 0.6, 0], () => 0.9999999999999999),
    1,
  );
  assert.equal(
    pick([0, 1], () => 0),
    1,
  );
});
