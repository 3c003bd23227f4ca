// What the page's HTML showed until there was a page.

/** The page is there. */
export function settled() {
  document.getElementById("rs-first")?.remove();
}
