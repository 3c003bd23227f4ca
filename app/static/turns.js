// Slow drawings, one a task: the page answers in between, and what changes often is drawn once.

import { counted } from "./page_time.js";

/** @type {Set<() => Promise<void>>} */
const waiting = new Set();
let busy = false;

/** @param {() => Promise<void>} drawing one that waits already waits once */
export function inTurn(drawing) {
  waiting.add(drawing);
  if (!busy) void work();
}

async function work() {
  busy = true;
  for (const drawing of waiting) {
    waiting.delete(drawing);
    try {
      await counted(drawing);
    } catch (error) {
      reportError(error);
    }
    await new Promise((next) => setTimeout(next));
  }
  busy = false;
}
