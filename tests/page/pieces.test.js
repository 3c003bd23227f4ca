// Bytes of prompts and excerpts, under the character that they make.

import assert from "node:assert/strict";
import { test } from "node:test";

import { grouped, withCharacters } from "../../app/static/pieces.js";

const texts = (pieces) => grouped(pieces).map(({ text, pieces: of }) => [text, of.length]);

test("bytes that make a character are one group, everything else stands alone", () => {
  assert.deepEqual(texts(["a", "⟨F0 9F⟩", "⟨98⟩", "⟨80⟩", " b"]), [
    ["a", 1],
    ["😀", 3],
    [" b", 1],
  ]);
  assert.deepEqual(texts(["⟨E6⟩", "⟨BC A2 E5⟩", "⟨AD 97⟩"]), [["漢字", 3]]); // a token that ends one and begins another
});

test("bytes that make none stay as they are", () => {
  assert.deepEqual(texts(["⟨F0 9F⟩", "a"]), [
    ["⟨F0 9F⟩", 1],
    ["a", 1],
  ]);
  assert.deepEqual(texts(["⟨FF⟩", "⟨C3⟩", "⟨A9⟩"]), [
    ["⟨FF⟩", 1],
    ["é", 2],
  ]);
  assert.deepEqual(texts([]), []);
});

test("a text with bytes in it is read", () => {
  assert.equal(withCharacters("so ⟨F0 9F⟩⟨98 80⟩! ⟨ZWSP⟩ ⟨F0⟩"), "so 😀! ⟨ZWSP⟩ ⟨F0⟩");
});
