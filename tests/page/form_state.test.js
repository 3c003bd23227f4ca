// What the form holds, by method.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FormState } from "../../app/static/form_state.js";
import { placesOf } from "../../app/static/outlook.js";
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
  groups: [
    { id: "drafting", preset: true, knobs: [knob("budget", 10)] },
    { id: "stopping", preset: false, knobs: [knob("stops", [])] },
  ],
  examples: [],
};

const form = (values = {}, method = "one") => Object.assign(new FormState(schema, method), { values });

const names = (held) => held.presets.map(({ name }) => name);

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
  assert.equal(held.preset, null);
  assert.deepEqual([held.standing.preset?.name, held.standing.apart], ["paper", ["k"]]);
  assert.deepEqual(held.touched, ["k"]);
  assert.equal(held.start(knob("k", 3)), 5);
  held.startFrom("auto");
  assert.deepEqual(held.changed(), {});
});

test("what the reader keeps is a preset, of its method alone", () => {
  const mine = { one: { k: 7, budget: 60 } };
  const held = new FormState(schema, "one", (method) => mine[method] ?? null);
  held.values = { k: 7, stops: ["x"] };
  assert.equal(held.preset?.name, "mine");
  assert.deepEqual(held.keepable(), { k: 7 });
  assert.equal(held.origin(knob("k", 3), 7).text, "preset mine");
  held.startFrom("auto");
  assert.deepEqual(held.changed(), { stops: ["x"] });
  held.startFrom("mine");
  assert.deepEqual(held.changed(), { k: 7, stops: ["x"] });
  held.name = "two";
  assert.deepEqual(names(held), ["usual"]);
});

test("of a method without presets everything can be kept", () => {
  /** @type {Record<string, object>} */
  const mine = {};
  const held = new FormState(schema, "two", (method) => mine[method] ?? null);
  held.values = { stops: ["x"] };
  assert.deepEqual([held.preset, held.standing.apart], [null, ["stops"]]);
  mine.two = held.keepable();
  assert.deepEqual(names(held), ["usual", "mine"]);
  assert.equal(held.preset?.name, "mine");
  held.startFrom("usual");
  assert.deepEqual(held.changed(), {});
  held.startFrom("mine");
  assert.deepEqual(held.changed(), { stops: ["x"] });
});

test("a setting of the method's own stands for the shared one of its name", () => {
  const own = { ...schema.methods[0], knobs: [knob("budget", 3)], defaults: {} };
  const held = new FormState({ ...schema, methods: [own] }, "one");
  assert.deepEqual(
    held.controls.map(({ name, default: usual }) => [name, usual]),
    [
      ["budget", 3],
      ["stops", []],
    ],
  );
});

test("a value that was changed is the reader's, whatever it came with", () => {
  const held = form({ k: 4 });
  const own = { ...knob("k", 3), badge: "from the paper", provenance: "paper" };
  assert.deepEqual(held.origin(own, 3), { text: "from the paper", kind: "paper" });
  assert.deepEqual(held.origin(own, 4), { text: "yours", kind: "yours" });
});

test("a foretold tree has its leaves apart and its inner nodes amid them", () => {
  const { columns, heights } = placesOf([0, 0, 1, 1]);
  assert.deepEqual(columns, [0, 1, 1, 2, 2]);
  assert.deepEqual(heights, [0.625, 0.25, 1, 0, 0.5]);
  assert.deepEqual(placesOf([0]).heights, [0.5, 0.5]);
});

test("a number stays within its limits, and what is none becomes the default", () => {
  const limits = { low: 1, high: 8, kind: "int", default: 3 };
  assert.deepEqual(
    ["5", "2.6", "99", "-1", "", "x"].map((raw) => within(limits, raw)),
    [5, 3, 8, 1, 3, 3],
  );
  assert.equal(within({ low: null, high: null, kind: "float", default: 0 }, "-2.5"), -2.5);
});
