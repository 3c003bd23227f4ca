// Which panels are drawn: those that can be seen and whose part of the store has changed.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Stage } from "../../app/static/stage.js";
import { Store } from "../../app/static/store.js";

/** Tells the stage what can be seen. */
class Sight {
  constructor(seen) {
    this.tell = (target, isIntersecting) => seen([{ target, isIntersecting }]);
    Sight.last = this;
  }

  observe() {}
}

beforeEach(() => {
  globalThis.IntersectionObserver = Sight;
});

function staged(options = {}) {
  const store = new Store();
  const said = [];
  const stage = new Stage(store, (panel, present) => said.push([panel.id, present]));
  const element = { classes: new Set(), classList: { toggle: (name, on) => (element.absent = on) } };
  const panel = {
    id: "p",
    element,
    reads: ["round"],
    figures: [],
    drawn: 0,
    draw: () => (panel.drawn += 1),
    ...options,
  };
  stage.add(panel);
  return { store, panel, element, said, see: (on) => Sight.last.tell(element, on) };
}

test("a panel is drawn when it comes into sight, and once for each change of what it reads", () => {
  const { store, panel, see } = staged();
  store.changed("round");
  assert.equal(panel.drawn, 0);
  see(true);
  assert.equal(panel.drawn, 1);
  store.changed("run", "rounds", "selection", "state");
  assert.equal(panel.drawn, 1);
  store.changed("round");
  assert.equal(panel.drawn, 2);
});

test("what changed out of sight is drawn once when it is seen again", () => {
  const { store, panel, see } = staged();
  see(true);
  see(false);
  store.changed("round");
  store.changed("round");
  assert.equal(panel.drawn, 1);
  see(true);
  assert.equal(panel.drawn, 2);
  see(true);
  assert.equal(panel.drawn, 2);
});

test("a panel with nothing to show is absent, and told so once", () => {
  const { store, panel, element, said, see } = staged({ present: (held) => held.title !== "" });
  see(true);
  assert.deepEqual([panel.drawn, element.absent], [0, true]);
  store.title = "something";
  store.changed("round");
  assert.deepEqual([panel.drawn, element.absent], [1, false]);
  assert.deepEqual(said, [
    ["p", false],
    ["p", true],
  ]);
});

test("what is always wanted is drawn unseen", () => {
  const { store, panel } = staged({ always: true });
  store.changed("round");
  assert.equal(panel.drawn, 1);
});
