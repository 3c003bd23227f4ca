import assert from "node:assert/strict";
import test from "node:test";

import { apart, searchOf } from "../../app/static/lab_address.js";

const shown = { method: "pld", settings: [["num_pred", "4"]], set: "shipped", knob: "max_ngram" };

test("an address names method, changed settings, knob, and a set that is not the shipped one", () => {
  assert.equal(searchOf(shown), "?method=pld&num_pred=4&knob=max_ngram");
  assert.equal(searchOf({ ...shown, settings: [], set: "own-1", knob: "" }), "?method=pld&set=own-1");
});

test("how the page looks stays, what it showed before does not", () => {
  assert.equal(
    searchOf({ ...shown, knob: "" }, "?__theme=dark&method=sam&theta=2&set=own-1"),
    "?method=pld&num_pred=4&__theme=dark",
  );
});

test("another method or set is another entry of the history, another setting is not", () => {
  const before = "?method=pld&num_pred=4";
  assert.equal(apart(before, "?method=pld&num_pred=8"), false);
  assert.equal(apart(before, "?method=sam"), true);
  assert.equal(apart(before, "?method=pld&set=own-1"), true);
  assert.equal(apart("?__theme=dark", before), false); // an address that asked for nothing only becomes complete
});
