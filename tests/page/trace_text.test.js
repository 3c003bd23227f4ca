import assert from "node:assert/strict";
import test from "node:test";

import { traceText } from "../../app/static/trace_text.js";

test("a trace is the same text in pieces as at once", async () => {
  for (const rounds of [0, 1, 32, 100]) {
    const trace = { run_id: "r", tokens: [{ id: 1 }], steps: [...Array(rounds).keys()].map((i) => ({ i, s: "],[" })) };
    assert.deepEqual(JSON.parse(await traceText(trace)), trace);
  }
});
