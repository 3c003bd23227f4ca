// The form outlasts a page: the browser has it as it was left last, each entry of the history as it was there.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { keepForm, keptForm } from "../../app/static/form_kept.js";

beforeEach((t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const held = new Map();
  globalThis.localStorage = {
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, text) => held.set(name, text),
    removeItem: (name) => held.delete(name),
  };
  globalThis.history = {
    state: null,
    written: 0,
    replaceState(state) {
      this.state = state;
      this.written += 1;
    },
  };
  globalThis.addEventListener = () => {};
});

test("a page keeps its part, and leaves the other's", (t) => {
  keepForm({ method: "pld", prompt: "a" });
  keepForm({ prompt: "b", others: [] });
  t.mock.timers.tick(1000);
  assert.deepEqual(keptForm(false), { method: "pld", prompt: "b", others: [] });
});

test("the history is written once for many changes, with the last of them", (t) => {
  for (const prompt of ["a", "ab", "abc"]) keepForm({ prompt });
  assert.equal(history.written, 0);
  t.mock.timers.tick(1000);
  assert.deepEqual([history.written, history.state.form.prompt], [1, "abc"]);
});

test("an entry has its own form; where it has none, what the address asks for goes before what was left", (t) => {
  keepForm({ prompt: "left" });
  t.mock.timers.tick(1000);
  const { state } = history;
  history.state = null;
  assert.equal(keptForm(true), null);
  assert.equal(keptForm(false).prompt, "left");
  history.state = { ...state, form: { prompt: "here" } };
  assert.equal(keptForm(true).prompt, "here");
});
