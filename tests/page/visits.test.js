// The address of what Live shows: one run, its round and token; a form that the address asks for stays with its run.

import assert from "node:assert/strict";
import { test } from "node:test";

import { addressed, placeOf } from "../../app/static/visits.js";

const shown = { run: "abc", showcase: "", round: 4, token: null };

test("a run, its round and its token have an address, counted from 1", () => {
  assert.equal(addressed("", shown), "?run=abc&round=5");
  assert.equal(addressed("?run=abc&round=2&token=9", { ...shown, token: 6 }), "?run=abc&round=5&token=7");
  assert.equal(addressed("?run=abc&round=2&token=9", shown), "?run=abc&round=5");
});

test("a recorded run is named as such", () => {
  assert.equal(addressed("", { ...shown, showcase: "story-sam", round: 0 }), "?trace=story-sam&round=1");
});

test("settings of a link stay with its run; another run leaves all but the looks behind", () => {
  const link = "?method=pld&trace=story-sam&__theme=dark";
  const same = addressed(link, { ...shown, showcase: "story-sam" });
  assert.equal(same, "?method=pld&trace=story-sam&__theme=dark&round=5");
  assert.equal(addressed(link, shown), "?__theme=dark&run=abc&round=5");
});

test("a place is read back, and nonsense is none", () => {
  assert.deepEqual(placeOf(addressed("", { ...shown, token: 6 })), { round: 4, token: 6 });
  assert.deepEqual(placeOf("?round=1"), { round: 0, token: null });
  for (const search of ["", "?round=0", "?round=x", "?token=4"]) assert.equal(placeOf(search), null);
});
