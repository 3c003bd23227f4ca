import assert from "node:assert/strict";
import { test } from "node:test";

import { Asking } from "../../app/static/lab_asking.js";

/** A server that answers when it is told to: what it was asked, and how each is answered. */
function slow() {
  const asked = [];
  const give = [];
  const lab = (text) => {
    asked.push(JSON.parse(text));
    return new Promise((answer) => give.push(() => answer(text)));
  };
  return { asking: new Asking({ server: { lab } }), asked, give };
}

const values = (questions) => questions.map((question) => question && question.value);

test("of a kind one question is under way, and the newest of those that wait is asked", async () => {
  const { asking, asked, give } = slow();
  const answers = [1, 2, 3].map((value) => asking.ask({ what: "picture", value }));
  const other = asking.ask({ what: "curve", value: 9 });
  assert.deepEqual(values(asked), [1, 9]);
  give[0]();
  assert.deepEqual(await Promise.all(answers.slice(0, 2)), [null, null]);
  assert.deepEqual(values(asked), [1, 9, 3]);
  give[1]();
  give[2]();
  assert.deepEqual(values([await answers[2], await other]), [3, 9]);
});

test("a look is still of use where only the slider has moved on", async () => {
  const { asking, asked, give } = slow();
  const answers = [1, 2, 3].map((value) => asking.ask({ what: "look", method: "sam", value }));
  give[0]();
  assert.deepEqual(values(await Promise.all(answers.slice(0, 2))), [1, null]);
  const others = asking.ask({ what: "look", method: "pld", value: 3 });
  give[1]();
  assert.equal(await answers[2], null);
  give[2]();
  assert.deepEqual([(await others).method, asked.length], ["pld", 3]);
});

test("a server that does not answer is said so", async () => {
  for (const lab of [() => Promise.reject(new Error("gone")), async () => undefined, async () => "no JSON"]) {
    const found = await new Asking({ server: { lab } }).ask({ what: "look", method: "sam" });
    assert.match(found.error, /did not answer/);
  }
});
