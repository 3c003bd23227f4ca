// When a run's next picture is drawn, and what of it waits.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { pause, Pictures } from "../../app/static/pictures.js";

let seq = 0;
const packet = (...kinds) => ({ stream: "s", seq: seq++, messages: kinds.map((kind) => ({ kind })) });

beforeEach(() => {
  seq = 0;
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
});

/** Pictures of which each takes so many milliseconds of the page's time; `drawn` is which packets became one. */
function pictures(took) {
  let spent = 0;
  const drawn = [];
  const time = {
    count(drawing) {
      drawing();
      spent += took;
    },
    spent: () => spent,
    now: () => Date.now(),
  };
  const made = new Pictures((...packets) => drawn.push(packets.map(({ seq }) => seq)), time);
  return { made, drawn, later: (ms) => (spent += ms) };
}

test("the pause grows with what a picture took, up to half a second", () => {
  assert.ok(pause(4) <= 100, "on a fast computer every packet is a picture");
  assert.equal(pause(15), 300);
  assert.equal(pause(2000), 500);
});

test("on a fast computer each packet is drawn when it comes", () => {
  const { made, drawn } = pictures(4);
  for (let i = 0; i < 3; i++) {
    made.take(packet("round", "summary"));
    mock.timers.tick(100);
  }
  assert.deepEqual(drawn, [[0], [1], [2]]);
});

test("on a slow one those that come meanwhile are one picture", () => {
  const { made, drawn } = pictures(15);
  for (let i = 0; i < 6; i++) {
    made.take(packet("draft"));
    mock.timers.tick(99);
  }
  assert.deepEqual(drawn, [[0], [1, 2, 3]]);
  mock.timers.tick(300);
  assert.deepEqual(drawn, [[0], [1, 2, 3], [4, 5]]);
});

test("figures that are drawn behind a picture put the next one off", () => {
  const { made, drawn, later } = pictures(5);
  made.take(packet("round"));
  made.take(packet("round"));
  later(10);
  mock.timers.tick(299);
  assert.deepEqual(drawn, [[0]]);
  mock.timers.tick(1);
  assert.deepEqual(drawn, [[0], [1]]);
});

test("begin, end and error wait for nothing, and bring along what waits", () => {
  for (const kind of ["start", "end", "error", "trace", "nothing", "plain"]) {
    const { made, drawn } = pictures(1000);
    made.take(packet("round"));
    made.take(packet("round"));
    made.take(packet("round", kind));
    assert.deepEqual(
      drawn.map(({ length }) => length),
      [1, 2],
      kind,
    );
    mock.timers.tick(5000);
    assert.equal(drawn.length, 2, "and nothing is drawn twice");
  }
});
