// A run in a frame of another page: recorded ones have an address, others a file.

/**
 * @param {string} root where the app is, with a slash at its end
 * @param {{ showcase: string, round: number, run: { run_id: string } | null }} shown
 * @returns {string} the frame's line; empty where there is no run
 */
export function embedCode(root, { showcase, round, run }) {
  if (!run) return "";
  const query = new URLSearchParams({ trace: showcase, round: String(round + 1), view: "embed" });
  const src = showcase ? `${root}?${query}`.replaceAll("&", "&amp;") : `respec-${run.run_id}.html`; // as Save page names it
  return `<iframe src="${src}" width="1100" height="760" title="ReSpec Studio"></iframe>`;
}

/**
 * @param {string} text for the clipboard
 * @returns {Promise<string>} what came of it, in a word or two
 */
export async function copied(text) {
  if (!text) return "No run yet";
  try {
    await navigator.clipboard.writeText(text);
    return text.includes('src="respec-') ? "Copied; save the page" : "Copied";
  } catch {
    return "No clipboard here";
  }
}
