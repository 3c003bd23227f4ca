import assert from "node:assert/strict";
import { test } from "node:test";

import { Watcher } from "../../app/static/watcher.js";

/** A store as far as the watcher looks at it, and what it was told. */
function setUp(state, server) {
  const told = [];
  const store = {
    seq: 1,
    stream: "s",
    waiting: state === "waiting",
    running: state === "running",
    state,
    stand: (ahead) => told.push(["stand", ahead]),
    giveUp: (why) => told.push(["giveUp", why]),
    lose: () => told.push(["lose"]),
  };
  const clock = { ms: 0 };
  return { told, store, clock, watcher: new Watcher(server, store, () => clock.ms) };
}

const second = { ahead: 2, seconds: 30 };
const gone = { ahead: () => Promise.reject(new Error("gone")), alive: () => Promise.reject(new Error("gone")) };
const dumb = { ahead: async () => undefined, alive: async () => undefined };

test("who waits is told the place in the line", async () => {
  const { told, watcher } = setUp("waiting", { ahead: async () => second });
  await watcher.look();
  assert.deepEqual(told, [["stand", second]]);
});

test("a run that is heard of is left alone", async () => {
  const { told, store, clock, watcher } = setUp("running", gone);
  for (let i = 0; i < 10; i += 1) {
    clock.ms += 5000;
    store.seq += 1;
    await watcher.look();
  }
  assert.deepEqual(told, []);
});

test("a silent run whose server answers goes on, one whose server does not is lost", async () => {
  const alive = setUp("running", { alive: async () => true });
  const [dead, mute] = [gone, dumb].map((server) => setUp("running", server));
  for (const { clock, watcher } of [alive, dead, mute]) {
    await watcher.look();
    for (let i = 0; i < 3; i += 1) {
      clock.ms += 7000;
      await watcher.look();
    }
  }
  assert.deepEqual(alive.told, []);
  assert.deepEqual([dead.told[0], mute.told[0]], [["lose"], ["lose"]]);
});

test("one unanswered question is no loss", async () => {
  const answers = [() => Promise.reject(new Error("late")), async () => second];
  const { told, watcher } = setUp("waiting", { ahead: () => answers.shift()() });
  await watcher.look();
  await watcher.look();
  assert.deepEqual(told, [["stand", second]]);
});
