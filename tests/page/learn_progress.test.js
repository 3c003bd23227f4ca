import assert from "node:assert/strict";
import test from "node:test";

import { Progress } from "../../app/static/learn_progress.js";

/** @param {Record<string, string>} [entries] */
function storage(entries = {}) {
  const map = new Map(Object.entries(entries));
  return /** @type {Storage} */ (
    /** @type {unknown} */ ({
      getItem: (/** @type {string} */ key) => map.get(key) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ value) => void map.set(key, value),
      removeItem: (/** @type {string} */ key) => void map.delete(key),
    })
  );
}

test("what was seen and solved is there again, once", () => {
  const place = storage();
  const progress = new Progress(place);
  for (const step of [0, 1, 1]) progress.see("trees", step);
  progress.solve("trees", "3.1");
  progress.solve("trees", "3.1");
  assert.deepEqual(new Progress(place).of("trees"), { seen: [0, 1], solved: ["3.1"] });
  assert.equal(progress.whole("trees", 3), false);
  assert.equal(progress.whole("trees", 2), true);
});

test("nobody has done a lesson without steps, or one that was never opened", () => {
  assert.equal(new Progress(storage()).whole("none", 0), false);
  assert.equal(new Progress(storage()).whole("none", 5), false);
});

test("what is not ours is forgotten", () => {
  for (const text of ['"x"', "[1]", '{"trees":{"seen":3}}', "{"]) {
    const progress = new Progress(storage({ "respec:learn": text }));
    assert.deepEqual(progress.of("trees"), { seen: [], solved: [] });
  }
});

test("where nothing can be kept, the page works on", () => {
  const refusing = /** @type {Storage} */ (
    /** @type {unknown} */ ({
      getItem: () => null,
      removeItem: () => undefined,
      setItem: () => {
        throw new Error("full");
      },
    })
  );
  const progress = new Progress(refusing);
  progress.see("cost", 0);
  assert.deepEqual(progress.of("cost").seen, [0]);
});
