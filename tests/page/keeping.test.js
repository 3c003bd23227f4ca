import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { asks, keep, kept } from "../../app/static/keeping.js";

beforeEach(() => {
  const held = new Map();
  globalThis.localStorage = {
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, text) => held.set(name, text),
    removeItem: (name) => held.delete(name),
  };
});

test("what is kept is had again, and can be forgotten", () => {
  assert.equal(kept("run"), null);
  assert.equal(keep("run", { name: "x" }), true);
  assert.deepEqual(kept("run"), { name: "x" });
  keep("run", null);
  assert.equal(kept("run"), null);
});

test("what is too large is not kept, nor is the one before it", () => {
  keep("run", "small");
  assert.equal(keep("run", "x".repeat(3_000_000)), false);
  assert.equal(kept("run"), null);
});

test("a browser that forbids it is no fault", () => {
  globalThis.localStorage = {
    getItem: () => {
      throw new Error("forbidden");
    },
    removeItem: () => {
      throw new Error("forbidden");
    },
  };
  assert.equal(keep("form", {}), false);
  assert.equal(kept("form"), null);
});

test("an address asks for something, or only for a look", () => {
  assert.equal(asks("?play=0&__theme=dark"), false);
  assert.equal(asks("?method=pld"), true);
  assert.equal(asks(""), false);
});
