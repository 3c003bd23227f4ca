import assert from "node:assert/strict";
import { test } from "node:test";

import { Asking } from "../../app/static/lab_asking.js";

const question = (what) => ({ what, method: "sam" });

test("of two questions of a kind the newer one is answered, of another kind each", async () => {
  const waiting = [];
  const asking = new Asking({ server: { lab: () => new Promise((give) => waiting.push(give)) } });
  const answers = ["look", "look", "curve"].map((what) => asking.ask(question(what)));
  waiting.forEach((give, i) => give(JSON.stringify({ i })));
  assert.deepEqual(await Promise.all(answers), [null, { i: 1 }, { i: 2 }]);
});

test("a server that does not answer is said so", async () => {
  for (const lab of [() => Promise.reject(new Error("gone")), async () => undefined, async () => "no JSON"]) {
    const found = await new Asking({ server: { lab } }).ask(question("look"));
    assert.match(found.error, /did not answer/);
  }
});
