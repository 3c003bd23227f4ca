import assert from "node:assert/strict";
import { test } from "node:test";

import { graphml } from "../../app/static/graphml.js";

const node = (id, parent, text, more = {}) => ({ id, parent, text, depth: id, sources: ["dynamic"], ...more });

test("every node has its data, every edge its ends, and text stays text", () => {
  const text = graphml([node(0, -1, "a"), node(1, 0, '<b> & "c"\u001b', { draft_p: 0.5 })], {
    round: 3,
    method: "pld",
  });
  assert.ok(text.includes('<edge source="0" target="1"/>'));
  assert.equal(text.match(/<edge/g).length, 1);
  assert.ok(text.includes('<data key="text">&lt;b&gt; &amp; &quot;c&quot;⟨1B⟩</data>'));
  assert.ok(text.includes('<data key="sources">[&quot;dynamic&quot;]</data>'));
  assert.ok(text.includes('<key id="draft_p" for="node" attr.name="draft_p" attr.type="double"/>'));
  assert.ok(text.includes('<key id="depth" for="node" attr.name="depth" attr.type="long"/>'));
  assert.ok(text.includes('<data key="graph-round">3</data>'));
});
