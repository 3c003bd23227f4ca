// Signs for characters that leave nothing to see; the same as app/panels/labels.py has.

/** @type {Map<string, string>} */
const SIGNS = new Map([
  [" ", "␣"],
  ["\n", "↵"],
  ["\t", "⇥"],
  ["\r", "␍"],
  ["\u00a0", "⍽"],
  ["\u00ad", "⟨SHY⟩"],
  ["\u200b", "⟨ZWSP⟩"],
  ["\u200c", "⟨ZWNJ⟩"],
  ["\u200d", "⟨ZWJ⟩"],
  ["\u2028", "⟨LS⟩"],
  ["\u2029", "⟨PS⟩"],
  ["\u202f", "⟨NNBSP⟩"],
  ["\ufeff", "⟨BOM⟩"],
]);
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Zs}\p{Zl}\p{Zp}\u{fe00}-\u{fe0f}]/u;

/**
 * @param {string} char one character
 * @returns {string} it, or what stands for it where there would be nothing to see
 */
export function sign(char) {
  const code = /** @type {number} */ (char.codePointAt(0));
  return SIGNS.get(char) ?? (UNSEEN.test(char) ? `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩` : char);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A piece within a sentence, which it leaves in its order: @param {string} piece */
export const isolated = (piece) => (RIGHT_TO_LEFT.test(piece) ? `\u2068${visible(piece)}\u2069` : visible(piece));

/** @param {string} piece */
export const visible = (piece) => Array.from(piece, sign).join("");

/**
 * Text as it is read on: spaces stay spaces, and what cannot be seen is a part of its own.
 *
 * @param {string} text
 * @returns {Array<{ text: string, sign: boolean, breaks: boolean }>} in order; `breaks` are line breaks, to be made as well
 */
export function parts(text) {
  /** @type {Array<{ text: string, sign: boolean, breaks: boolean }>} */
  const found = [];
  for (const char of text) {
    const shown = char === " " ? char : sign(char);
    const last = found.at(-1);
    if (shown === char && last && !last.sign) last.text += char;
    else found.push({ text: shown, sign: shown !== char, breaks: char === "\n" });
  }
  return found;
}

/**
 * A piece with nothing invisible in it, at most so many characters; one sign stays whole.
 *
 * @param {string} piece
 * @param {number} width
 */
export function short(piece, width) {
  const shown = Array.from(piece)
    .slice(0, width + 1)
    .map(sign);
  const length = (/** @type {string} */ text) => Array.from(text).length;
  if (shown.length <= 1 || length(shown.join("")) <= width) return shown.join("");
  let kept = "";
  for (const one of shown) {
    if (kept && length(kept) + length(one) > width - 1) break;
    kept += one;
  }
  return `${kept}…`;
}

/** @type {Record<string, string>} */
const HTML = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Text as Plotly will print it: markup has no effect. @param {string} text */
export const inert = (text) => text.replace(/[&<>]/g, (char) => HTML[char]);
