import assert from "node:assert/strict";
import { test } from "node:test";

import { parts, visible } from "../../app/static/signs.js";

test("what cannot be seen has a sign, everything else stays", () => {
  assert.equal(visible(" a\n\u00a0\u200b\u200d\ufeff\u2028\u0007"), "␣a↵⍽⟨ZWSP⟩⟨ZWJ⟩⟨BOM⟩⟨LS⟩⟨U+0007⟩");
  assert.equal(visible("é漢😀مرحبا"), "é漢😀مرحبا");
});

test("text to be read on keeps its spaces and makes its line breaks", () => {
  assert.deepEqual(parts("a b\u200bc\n"), [
    { text: "a b", sign: false, breaks: false },
    { text: "⟨ZWSP⟩", sign: true, breaks: false },
    { text: "c", sign: false, breaks: false },
    { text: "↵", sign: true, breaks: true },
  ]);
  assert.deepEqual(parts(""), []);
});
