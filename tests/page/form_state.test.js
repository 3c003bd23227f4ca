// What the form holds, by method.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FormState } from "../../app/static/form_state.js";
import { within } from "../../app/static/knobs.js";

const knob = (name, usual) => ({ name, default: usual });
const schema = {
  methods: [
    {
      name: "one",
      knobs: [knob("k", 3)],
      defaults: { budget: 60 },
      presets: [
        { name: "auto", values: {} },
        { name: "paper", values: { k: 5, budget: 25 } },
      ],
    },
    { name: "two", knobs: [], defaults: {}, presets: [] },
  ],
  groups: [{ id: "drafting", knobs: [knob("budget", 10), knob("stops", [])] }],
  examples: [],
};

const form = (values = {}, method = "one") => Object.assign(new FormState(schema, method), { values });

test("only what the method knows and what differs from its defaults is changed", () => {
  assert.deepEqual(form({ k: 3, budget: 60, stops: [], other: 1 }).changed(), {});
  assert.deepEqual(form({ k: 4, budget: 10, stops: ["x"] }).changed(), { k: 4, budget: 10, stops: ["x"] });
  assert.deepEqual(form({ k: 4, budget: 10 }, "two").changed(), {});
});

test("a value is kept while methods change", () => {
  const held = form({ k: 4 });
  held.name = "two";
  held.name = "one";
  assert.deepEqual(held.changed(), { k: 4 });
});

test("the preset is the one that the settings agree with", () => {
  const held = form();
  assert.equal(held.preset?.name, "auto");
  held.startFrom("paper");
  assert.deepEqual(held.changed(), { k: 5, budget: 25 });
  assert.equal(held.preset?.name, "paper");
  held.values.k = 6;
  assert.equal(held.preset, undefined);
  held.startFrom("auto");
  assert.deepEqual(held.changed(), {});
});

test("a number stays within its limits, and what is none becomes the default", () => {
  const limits = { low: 1, high: 8, kind: "int", default: 3 };
  assert.deepEqual(
    ["5", "2.6", "99", "-1", "", "x"].map((raw) => within(limits, raw)),
    [5, 3, 8, 1, 3, 3],
  );
  assert.equal(within({ low: null, high: null, kind: "float", default: 0 }, "-2.5"), -2.5);
});
