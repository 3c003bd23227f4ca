// The form outlasts a page: the browser has it as it was left last, each entry of the history as it was there.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { keepForm, keptForm } from "../../app/static/form_kept.js";

const storage = () => {
  const held = new Map();
  return {
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, text) => held.set(name, text),
    removeItem: (name) => held.delete(name),
  };
};

beforeEach(() => {
  globalThis.localStorage = storage();
  globalThis.sessionStorage = storage();
  globalThis.history = {
    state: null,
    written: 0,
    replaceState(state) {
      this.state = state;
      this.written += 1;
    },
  };
});

test("a page keeps its part, and leaves the other's", () => {
  keepForm({ method: "pld", prompt: "a" });
  keepForm({ prompt: "b", others: [] });
  assert.deepEqual(keptForm(false), { method: "pld", prompt: "b", others: [] });
});

test("the history is written once, however much is typed", () => {
  for (const prompt of ["a", "ab", "abc"]) keepForm({ prompt });
  assert.equal(history.written, 1);
  assert.equal(keptForm(true).prompt, "abc");
});

test("an entry has its own form; where it has none, what the address asks for goes before what was left", () => {
  keepForm({ prompt: "first" });
  const first = history.state;
  history.state = null;
  assert.equal(keptForm(true), null);
  assert.equal(keptForm(false).prompt, "first");
  keepForm({ prompt: "second" });
  assert.equal(keptForm(true).prompt, "second");
  history.state = first;
  assert.equal(keptForm(true).prompt, "first");
  assert.equal(keptForm(false).prompt, "first");
});
