import assert from "node:assert/strict";
import test from "node:test";

import { embedCode } from "../../app/static/embed.js";

const run = { run_id: "abc" };

test("a recorded run is framed by its address, round included, as it stands in HTML", () => {
  const code = embedCode("https://x.org/studio/", { showcase: "story-sam", round: 4, run });
  assert.match(
    code,
    /^<iframe src="https:\/\/x\.org\/studio\/\?trace=story-sam&amp;round=5&amp;view=embed" width="1100"/,
  );
});

test("another run by the file that Save page writes, and no run by nothing", () => {
  assert.match(embedCode("https://x.org/", { showcase: "", round: 4, run }), /src="respec-abc\.html"/);
  assert.equal(embedCode("https://x.org/", { showcase: "", round: 0, run: null }), "");
});

test("a name cannot leave its attribute", () => {
  const code = embedCode("https://x.org/", { showcase: '"><script>', round: 0, run });
  assert.ok(!code.includes("<script>"));
});
