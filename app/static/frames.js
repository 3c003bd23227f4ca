// Measuring the page has it laid out first. What must measure waits for the next frame, when all of a packet is drawn and the
// page would be laid out anyway.

/** @type {Map<object, () => void>} */
const waiting = new Map();

/**
 * @param {object} who of whom only the newest wish counts
 * @param {() => void} act
 */
export function beforeFrame(who, act) {
  if (!waiting.size) requestAnimationFrame(acted);
  waiting.set(who, act);
}

function acted() {
  const acts = [...waiting.values()];
  waiting.clear();
  for (const act of acts) act();
}
