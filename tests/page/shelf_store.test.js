// The shelf: the newest runs stay, the baseline always, and what goes wrong is one sentence.

import assert from "node:assert/strict";
import { test } from "node:test";

import { askedBy, MOST, MOST_SIZE, NO_ROOM, NO_SHELF, Shelf } from "../../app/static/shelf_store.js";

/** A database in memory that holds `room` characters. */
function memory(room = Infinity) {
  const rows = new Map();
  const traces = new Map();
  return {
    rows: async () => [...rows.values()],
    trace: async (id) => traces.get(id),
    put: async (row, trace) => {
      if (trace !== undefined) {
        const held = [...traces].reduce((sum, [id, text]) => sum + (id === row.id ? 0 : text.length), 0);
        if (held + trace.length > room) throw Object.assign(new Error("full"), { name: "QuotaExceededError" });
        traces.set(row.id, trace);
      }
      rows.set(row.id, row);
    },
    remove: async (ids) => {
      for (const id of ids) {
        rows.delete(id);
        traces.delete(id);
      }
    },
    traces,
  };
}

const run = (id, more = {}) => ({
  ...{ id, kind: "run", name: id, showcase: "", title: "SAM", setup: null, prompt: "", asks: "p", tokens: 3 },
  ...{ outcome: { per_pass: 1, speed: null, equal: null }, place: { round: 0, token: null } },
  ...more,
});
const ids = async (shelf) => (await shelf.rows()).map((row) => row.id);

/** A clock that moves on with every look. */
function ticking(t) {
  let now = 0;
  t.mock.method(Date, "now", () => (now += 1));
}

test("runs come newest first, with their traces, and listeners hear of it", async (t) => {
  ticking(t);
  const shelf = new Shelf(memory());
  let heard = 0;
  shelf.subscribe(() => (heard += 1));
  await shelf.put(run("a"), "A");
  await shelf.put(run("b"), "B");
  assert.deepEqual(await ids(shelf), ["b", "a"]);
  assert.deepEqual([await shelf.trace("a"), await shelf.trace("c"), await shelf.find("c")], ["A", null, null]);
  assert.equal(heard, 2);
});

test("a run that comes again keeps its time, what it was first and where it was left", async (t) => {
  ticking(t);
  const shelf = new Shelf(memory());
  await shelf.put(run("a"), "A");
  await shelf.put(run("b"), "B");
  await shelf.leave("a", { round: 4, token: 9 });
  await shelf.put(run("a", { kind: "opened", name: "x", tokens: 8 }), "AA");
  const row = await shelf.find("a");
  assert.deepEqual([row.at, row.kind, row.name, row.tokens, row.size], [1, "run", "a", 8, 2]);
  assert.deepEqual(row.place, { round: 4, token: 9 });
  assert.equal(await shelf.trace("a"), "AA");
});

test("where one was left is kept without its trace, and a run that is gone does not come back", async () => {
  const shelf = new Shelf(memory());
  await shelf.put(run("a"), "A");
  await shelf.leave("a", { round: 2, token: null });
  assert.deepEqual((await shelf.find("a")).place, { round: 2, token: null });
  assert.equal(await shelf.trace("a"), "A");
  await shelf.remove(["a"]);
  await shelf.leave("a", { round: 3, token: null });
  assert.deepEqual(await ids(shelf), []);
});

test("the oldest give way, the baseline does not", async (t) => {
  ticking(t);
  const database = memory();
  const shelf = new Shelf(database);
  for (let i = 0; i < 3; i += 1) await shelf.put(run(`r${i}`), "x");
  await shelf.pin("r0");
  for (let i = 3; i < MOST + 2; i += 1) await shelf.put(run(`r${i}`), "x");
  const kept = await ids(shelf);
  assert.equal(kept.length, MOST);
  assert.ok(kept.includes("r0") && !kept.includes("r1") && !kept.includes("r2") && kept.includes("r3"));
  assert.deepEqual(new Set(database.traces.keys()), new Set(kept));
});

test("large traces give way too", async (t) => {
  ticking(t);
  const shelf = new Shelf(memory());
  const large = "x".repeat(15_000_000);
  const room = Math.floor(MOST_SIZE / large.length);
  for (let i = 0; i <= room; i += 1) await shelf.put(run(`r${i}`), large);
  assert.deepEqual((await ids(shelf)).length, room);
  assert.equal(await shelf.find("r0"), null);
});

test("only one run is the baseline, and none after a second time", async () => {
  const shelf = new Shelf(memory());
  for (const id of ["a", "b"]) await shelf.put(run(id), id);
  const pinned = async () => (await shelf.rows()).filter((row) => row.pinned).map((row) => row.id);
  await shelf.pin("a");
  await shelf.pin("b");
  assert.deepEqual(await pinned(), ["b"]);
  await shelf.pin("b");
  assert.deepEqual(await pinned(), []);
});

test("a full browser drops the oldest; where that is not enough, a sentence says so", async (t) => {
  ticking(t);
  const shelf = new Shelf(memory(10));
  for (const id of ["a", "b", "c"]) await shelf.put(run(id), "1234");
  assert.deepEqual(await ids(shelf), ["c", "b"]);
  await shelf.pin("b");
  await assert.rejects(shelf.put(run("d"), "12345678901"), { message: NO_ROOM });
  assert.deepEqual(await ids(shelf), ["b"]);
});

test("where nothing can be kept, a sentence says so", async () => {
  const closed = () => Promise.reject(new Error("SecurityError"));
  const shelf = new Shelf({ rows: closed, trace: closed, put: closed, remove: closed });
  await assert.rejects(shelf.put(run("a"), "A"), { message: NO_SHELF });
  await assert.rejects(new Shelf({ ...memory(), put: closed }).put(run("a"), "A"), { message: NO_SHELF });
});

test("a trace that is too large to be opened again is not kept, and drops nobody", async () => {
  const shelf = new Shelf(memory());
  await shelf.put(run("a"), "A");
  await assert.rejects(shelf.put(run("b"), "x".repeat(16_000_001)), { message: NO_ROOM });
  assert.deepEqual(await ids(shelf), ["a"]);
});

test("runs of one prompt have their mark in common", () => {
  assert.equal(askedBy([1, 2, 3]), askedBy([1, 2, 3]));
  const marks = [[], [1], [2], [1, 2], [2, 1], [1, 2, 3]].map(askedBy);
  assert.equal(new Set(marks).size, marks.length);
});
