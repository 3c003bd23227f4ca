// A trace as JSON text, written some rounds a task, so that the page answers in between.

/** @import { Store } from "./store.js" */

const PIECE = 32; // rounds

/**
 * @param {ReturnType<Store["trace"]>} trace
 * @returns {Promise<string>}
 */
export async function traceText({ steps, ...rest }) {
  const pieces = [];
  for (let at = 0; at < steps.length; at += PIECE) {
    pieces.push(JSON.stringify(steps.slice(at, at + PIECE)).slice(1, -1));
    await new Promise((next) => setTimeout(next));
  }
  return `${JSON.stringify(rest).slice(0, -1)},"steps":[${pieces.join(",")}]}`;
}
