// What the components tell each other.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Bus } from "../../app/static/bus.js";

test("a listener hears what it asked for until it ends that", () => {
  const bus = new Bus();
  const heard = [];
  const end = bus.on("run", ({ stream }) => heard.push(stream));
  bus.emit("run", { stream: "a" });
  bus.emit("help", null);
  end();
  bus.emit("run", { stream: "b" });
  assert.deepEqual(heard, ["a"]);
});

test("whoever comes later hears the latest state at once, and no moment that has passed", () => {
  const bus = new Bus();
  bus.emit("state", "waiting");
  bus.emit("state", "running");
  bus.emit("run", { stream: "a" });
  const heard = [];
  bus.on("state", (state) => heard.push(state));
  bus.on("run", () => heard.push("run"));
  assert.deepEqual(heard, ["running"]);
});
