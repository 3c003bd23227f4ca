// What the page keeps of a run: deltas, losses, streams.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Store } from "../../app/static/store.js";

const figure = () => ({ data: [{ x: [] }], layout: { yaxis: {} } });
const start = () => ({
  kind: "start",
  run: { run_id: "r", prompt_ids: [1] },
  figures: { entropy: figure(), timeline: figure() },
});
const step = (i) => ({ i, commit: { emitted_ids: [i] } });
const round = (i) => ({
  kind: "round",
  step: step(i),
  tokens: [{ id: i, round: i }],
  view: {},
  append: { entropy: [{ x: [i] }], timeline: [{ x: [i] }] },
});
const whole = (n) => ({
  kind: "trace",
  run: { run_id: "r", title: "A method", paper: "a paper" },
  steps: [...Array(n).keys()].map(step),
  tokens: [...Array(n).keys()].map((i) => ({ id: i, round: i })),
  views: [],
  figures: {},
});

const packetOf = (seq, messages) => ({ stream: "s", seq, messages });

function received(...packets) {
  const store = new Store();
  packets.forEach((messages, seq) => messages && store.receive({ stream: "s", seq, messages }));
  return store;
}

test("rounds are appended to tokens, starts and figures", () => {
  const store = received([start(), round(0)], [round(1)]);
  assert.deepEqual(store.starts, [0, 1]);
  assert.deepEqual(store.figures.entropy.data[0].x, [0, 1]);
  assert.equal(store.roundOfToken(1), 1);
  assert.equal(store.running, true);
});

test("packets that waited are one change, in their order", () => {
  const store = received([start(), round(0)]);
  let changes = 0;
  store.subscribe(() => (changes += 1));
  store.receive(...[[round(1)], [{ kind: "draft", i: 2 }], [round(2)]].map((messages, i) => packetOf(i + 1, messages)));
  assert.deepEqual([changes, store.steps.length, store.pending, store.seq], [1, 3, null, 4]);
  store.receive(packetOf(6, [round(6)]), packetOf(4, [round(3)]));
  assert.deepEqual([changes, store.steps.length, store.missed], [2, 3, true]);
});

const end = (rounds) => ({
  kind: "end",
  rounds,
  run: { run_id: "r", title: "A method", finish_reason: "length" },
  metrics: { verdict: "it pays" },
  outcome: {},
  panels: { p: 1 },
  append: { entropy: [], timeline: [{ x: [99] }] },
  ticks: ["verify"],
});

test("the end says what the rounds did not, and keeps them", () => {
  const store = received([start(), round(0)], [round(1)]);
  store.look(0);
  store.receive({ stream: "s", seq: 2, messages: [end(2)] });
  assert.deepEqual([store.running, store.lacking, store.steps.length, store.round], [false, false, 2, 0]);
  assert.deepEqual([store.run.finish_reason, store.metrics.verdict, store.panels.p], ["length", "it pays", 1]);
  const { timeline } = store.figures;
  assert.deepEqual([timeline.data[0].x, timeline.layout.yaxis.ticktext], [[0, 1, 99], ["verify"]]);
});

test("a summary is kept while no round is missing before it", () => {
  const said = (steps) => ({ kind: "summary", summary: { steps } });
  const store = received([start(), round(0), said(1)], [round(1), said(2)]);
  assert.equal(store.run.summary.steps, 2);
  store.receive({ stream: "s", seq: 3, messages: [round(3), said(4)] });
  assert.deepEqual([store.missed, store.run.summary.steps], [true, 2]);
});

test("a lost packet is noticed, nothing is put behind the hole, and all packets heal it", () => {
  const sent = [[start(), round(0)], [round(1)], [round(2), end(3)]].map((messages, seq) => ({
    stream: "s",
    seq,
    messages,
  }));
  const again = structuredClone(sent);
  const store = new Store();
  store.receive(sent[0]);
  store.receive(sent[2]);
  assert.deepEqual([store.missed, store.lacking, store.running, store.steps.length], [true, true, true, 1]);
  store.heal(again);
  assert.deepEqual([store.missed, store.lacking, store.running], [false, false, false]);
  assert.deepEqual([store.steps.length, store.starts, store.generation], [3, [0, 1, 2], 1]);
  assert.deepEqual(store.figures.timeline.data[0].x, [0, 1, 2, 99]);
});

test("where the packets are gone, what had arrived is a trace that was cut", () => {
  const store = received([start(), round(0)], null, [end(3)]);
  store.heal([]);
  assert.deepEqual([store.running, store.lacking, store.lost], [false, false, true]);
  assert.deepEqual([store.run.output_ids, store.steps.length], [[0], 1]);
});

test("a packet that comes again changes nothing", () => {
  const store = received([start(), round(0)]);
  store.receive({ stream: "s", seq: 0, messages: [start(), round(0)] });
  assert.equal(store.steps.length, 1);
});

test("while a run of our own is awaited, another stream's packets are stale", () => {
  const store = received([start()]);
  store.expect("mine");
  store.receive({ stream: "s", seq: 1, messages: [round(0)] });
  assert.equal(store.steps.length, 0);
  store.receive({ stream: "mine", seq: 0, messages: [start(), round(0)] });
  assert.equal(store.steps.length, 1);
});

test("what was given up is not wanted any more", () => {
  const store = new Store();
  store.expect("mine");
  store.giveUp("too many");
  store.receive({ stream: "mine", seq: 0, messages: [start()] });
  assert.deepEqual([store.error, store.run], ["too many", null]);
});

test("the exported trace is the engine's own, without what the page adds", () => {
  const store = received([whole(2)]);
  assert.deepEqual(Object.keys(store.trace()), ["run_id", "steps", "tokens"]);
});

test("the newest round is looked at while it is followed, another one stays", () => {
  const store = received([start(), round(0), round(1)]);
  assert.equal(store.round, 1);
  store.setFollow(false);
  store.look(0);
  store.receive({ stream: "s", seq: 1, messages: [round(2)] });
  assert.equal(store.round, 0);
  store.look(99);
  assert.equal(store.round, 2);
});

test("only the parts that a packet changes are marked as changed", () => {
  const store = received([start(), round(0)]);
  const before = { ...store.version };
  store.receive({ stream: "s", seq: 1, messages: [{ kind: "prefill", done: 1, total: 2 }] });
  assert.deepEqual(store.version, { ...before, state: before.state + 1 });
  assert.deepEqual(store.progress, { text: "reading the prompt: 1 of 2 tokens", share: 0.5 });
});

test("a figure that grew is another object, so that it is drawn again", () => {
  const store = received([start()]);
  const { entropy } = store.figures;
  store.receive({ stream: "s", seq: 1, messages: [round(0)] });
  assert.notEqual(store.figures.entropy, entropy);
});

test("another run begins with nothing pinned", () => {
  const store = received([whole(2)]);
  store.pin({ token: 1 });
  store.receive({ stream: "t", seq: 0, messages: [whole(1)] });
  assert.deepEqual([store.selection, store.generation], [null, 2]);
});

test("where there is no run, there is a hint what to do", () => {
  const store = received([start(), round(0)]);
  store.receive({ stream: "t", seq: 0, messages: [{ kind: "nothing", text: "press Run" }] });
  assert.deepEqual([store.run, store.steps, store.hint, store.running], [null, [], "press Run", false]);
});

test("who waits sees nothing of an earlier run, and has it back when nothing comes", () => {
  for (const end of [(store) => store.giveUp("full"), (store) => store.receive(failed("not possible"))]) {
    const store = received([whole(3)]);
    store.expect("mine");
    assert.deepEqual([store.run, store.steps.length, store.state], [null, 0, "waiting"]);
    end(store);
    assert.deepEqual([store.run.title, store.steps.length, store.state], ["A method", 3, "idle"]);
    assert.ok(["full", "not possible"].includes(store.error));
  }
});

const failed = (text) => ({ stream: "mine", seq: 0, messages: [{ kind: "error", text }] });

test("what is lost on the way keeps its rounds, as a trace that was cut", () => {
  const store = received([start(), round(0)], [round(1)]);
  store.lose();
  assert.deepEqual([store.state, store.steps.length], ["idle", 2]);
  assert.match(store.error, /lost after round 2:/);
  assert.deepEqual(store.trace().output_ids, [0, 1]);
  assert.deepEqual(store.outcome, { per_pass: 1, speed: null, equal: null });
  store.lose(); // nothing runs any more
  assert.match(store.error, /lost after round 2:/);
  assert.ok(store.lost, "it can be run again");
  store.expect("mine");
  assert.ok(!store.lost);
});

test("the place in the line is known only while one waits", () => {
  const store = received([whole(1)]);
  const third = { ahead: 3, seconds: null };
  store.stand(third);
  assert.equal(store.standing, null);
  store.expect("mine");
  store.stand(third);
  assert.equal(store.standing, third);
});
