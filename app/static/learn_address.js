// Where a reader is in Learn, as the page's address has it: lesson, step, round, and the class's size.

/** @typedef {{ lesson: string, step: number, round: number | null, big: boolean }} Spot `step` from 0, `round` from 1 */

/**
 * @param {string} search of an address
 * @returns {Spot}
 */
export function spotOf(search) {
  const query = new URLSearchParams(search);
  const round = whole(query.get("round"));
  return {
    lesson: query.get("lesson") ?? "",
    step: Math.max(1, whole(query.get("step"))) - 1,
    round: round || null,
    big: query.get("view") === "class",
  };
}

/**
 * @param {Spot} spot
 * @param {string} [search] of the address so far, whose other wishes stay
 * @returns {string} of the address
 */
export function searchOf({ lesson, step, round, big }, search = "") {
  const query = new URLSearchParams(search);
  for (const name of ["lesson", "step", "round", "view"]) query.delete(name);
  query.set("lesson", lesson);
  if (step) query.set("step", String(step + 1));
  if (round) query.set("round", String(round));
  if (big) query.set("view", "class");
  return `?${query}`;
}

/** @param {string | null} text */
function whole(text) {
  const value = Number(text ?? "");
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}
