// A run's settings in a line.

/** @import { Setup } from "./types.js" */

/** @param {Pick<Setup, "preset" | "changed">} setup the preset it stands on and what is not as in that */
export function setupText({ preset, changed }) {
  const told = [preset && `preset ${preset}`, ...changed.map(({ label, value }) => `${label} ${value}`)];
  return told.filter(Boolean).join(" · ") || "default settings";
}
