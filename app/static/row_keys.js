// A table whose rows can be chosen: one of them is in the tab order, arrows walk them, Enter or a click chooses.

/**
 * @param {HTMLElement} box around the table; a row that has the focus in it keeps it
 * @param {() => void} fill it anew
 * @param {((row: number) => void) | undefined} pick
 */
export function refilled(box, fill, pick) {
  const had = rowsOf(box).findIndex((row) => row === document.activeElement);
  fill();
  if (!pick) return;
  const rows = rowsOf(box);
  rows.forEach((row, i) => {
    row.tabIndex = i === Math.max(0, had) ? 0 : -1;
    row.classList.add("is-choice");
    row.addEventListener("click", () => pick(i));
    row.addEventListener("keydown", (event) => walk(event, rows, i, pick));
  });
  rows[had]?.focus({ preventScroll: true });
}

/** Those that are choices: not what only continues the one above. @param {HTMLElement} box */
export const rowsOf = (box) =>
  [...box.querySelectorAll("tbody tr:not(.rs-sub)")].filter((row) => row instanceof HTMLElement);

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement[]} rows
 * @param {number} at
 * @param {(row: number) => void} pick
 */
function walk(event, rows, at, pick) {
  const last = rows.length - 1;
  const to = new Map([
    ["ArrowUp", Math.max(0, at - 1)],
    ["ArrowDown", Math.min(last, at + 1)],
    ["Home", 0],
    ["End", last],
  ]).get(event.key);
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Enter") pick(at);
  else if (to !== undefined) move(rows, at, to);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * @param {HTMLElement[]} rows
 * @param {number} from
 * @param {number} to
 */
function move(rows, from, to) {
  rows[from].tabIndex = -1;
  rows[to].tabIndex = 0;
  rows[to].focus();
}
