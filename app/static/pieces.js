// Tokens of a text as it is read: those that are only bytes of a character belong together under it.

const BYTES = /^⟨([0-9A-F]{2}(?: [0-9A-F]{2})*)⟩$/; // as respec_core/engine/pieces.py writes them
const RUNS = /(?:⟨[0-9A-F]{2}(?: [0-9A-F]{2})*⟩)+/g;
const MOST = 8; // tokens that a few characters can be made of

/** @typedef {{ pieces: string[], text: string }} Group the tokens of one text; one of them, but for bytes */

/**
 * @param {string[]} pieces
 * @returns {Group[]} bytes that make no character stand alone, as they are
 */
export function grouped(pieces) {
  /** @type {Group[]} */
  const groups = [];
  for (let at = 0; at < pieces.length;) {
    const found = characterFrom(pieces, at) ?? { pieces: [pieces[at]], text: pieces[at] };
    groups.push(found);
    at += found.pieces.length;
  }
  return groups;
}

/** @param {string} text of which parts may be bytes */
export const withCharacters = (text) =>
  text.replace(RUNS, (run) =>
    grouped(run.split(/(?<=⟩)/))
      .map((group) => group.text)
      .join(""),
  );

/**
 * @param {string[]} pieces
 * @param {number} from
 * @returns {Group | null} the fewest tokens from there whose bytes are text
 */
function characterFrom(pieces, from) {
  /** @type {number[]} */
  const bytes = [];
  for (let to = from; to < Math.min(pieces.length, from + MOST); to++) {
    const found = BYTES.exec(pieces[to]);
    if (!found) return null;
    bytes.push(...found[1].split(" ").map((byte) => Number.parseInt(byte, 16)));
    const text = decoded(bytes);
    if (text !== null) return { pieces: pieces.slice(from, to + 1), text };
  }
  return null;
}

/** @param {number[]} bytes */
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null; // not text, or not yet
  }
}
