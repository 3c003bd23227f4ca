import assert from "node:assert/strict";
import { test } from "node:test";

import { Hand } from "../../app/static/lab_hand.js";

/** Let what was promised be done. */
const turn = () => new Promise((next) => setImmediate(next));

test("a hand rests when it has seen where it stands, and moves no more", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const seen = [];
  let rested = 0;
  const hand = new Hand(() => (rested += 1));
  const move = () => void hand.follow(() => new Promise((give) => seen.push(give)));
  const wait = async (ms) => {
    await turn();
    t.mock.timers.tick(ms);
    return rested;
  };
  move();
  assert.equal(await wait(5000), 0); // not seen yet
  move();
  seen[0]();
  assert.equal(await wait(5000), 0); // it has moved on
  seen[1]();
  assert.equal(await wait(100), 0);
  move();
  seen[2]();
  assert.equal(await wait(200), 0); // not long enough
  assert.equal(await wait(200), 1);
  assert.equal(await wait(5000), 1);
});

test("what was asked before the hand moved on is of no use", async () => {
  const hand = new Hand(() => {});
  assert.equal(await hand.unmoved(Promise.resolve(1)), 1);
  const late = hand.unmoved(Promise.resolve(2));
  hand.move();
  assert.equal(await late, null);
});
