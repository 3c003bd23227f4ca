import assert from "node:assert/strict";
import { test } from "node:test";

import { standingText } from "../../app/static/standing.js";

test("a place in the line and the wait are said as far as they are known", () => {
  assert.equal(standingText(null), "waiting for the engine …");
  assert.equal(standingText({ ahead: 0, seconds: 0 }), "starting …");
  assert.equal(standingText({ ahead: 1, seconds: null }), "waiting: 1 run before yours");
  assert.equal(standingText({ ahead: 4, seconds: 31.6 }), "waiting: 4 runs before yours, about 32 s until it starts");
  assert.equal(standingText({ ahead: 9, seconds: 290 }), "waiting: 9 runs before yours, about 5 min until it starts");
});
