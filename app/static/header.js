// The page's head: name, what the model is doing, theme and help.

import { bus } from "./bus.js";
import { callingButton } from "./calling.js";
import { fill, h, icon } from "./dom.js";
import { kept } from "./keeping.js";
import { onValue, place } from "./mount.js";
import { ShelfDrawer } from "./shelf.js";

/** @import { Host } from "./page.js" */
/** @import { Status } from "./types.js" */

/** @type {Array<[string, string]>} */
const PAGES = [
  ["", "Live"],
  ["compare", "Compare"],
  ["lab", "Lab"],
  ["learn", "Learn"],
  ["replay", "Replay"],
];

/** @param {string} root for who has never opened a lesson */
const first = (root) =>
  h("a", { class: "rs-first-lesson", href: `${root}/learn?lesson=cost`, text: "New here? Start with lesson 1" });

/** @param {Host} host */
export function mount(host) {
  if (new URLSearchParams(location.search).get("view") === "embed") document.body.classList.add("rs-embedded");
  const here = host.props.page ?? "";
  /** @param {[string, string]} page */
  const link = ([path, text]) =>
    h("a", { href: `${host.root ?? ""}/${path}`, "aria-current": path === here && "page", text });
  const dot = h("span", { class: "rs-dot", "aria-hidden": "true" });
  const status = h("span", { class: "rs-status", role: "status", "aria-live": "polite", id: "rs-status" });
  const theme = h(
    "button",
    {
      type: "button",
      class: "rs-icon",
      "aria-label": "Light or dark",
      title: "Light or dark",
      on: { click: () => document.body.classList.toggle("dark") },
    },
    icon("theme"),
  );
  const help = h("button", {
    type: "button",
    class: "rs-icon",
    "aria-label": "Keys",
    title: "Keys (?)",
    text: "?",
    on: { click: () => bus.emit("help", null) },
  });
  const mark = h("span", { class: "rs-mark", "aria-hidden": "true" });
  const drawer = new ShelfDrawer(host.root ?? "");
  fill(
    place(host),
    h(
      "div",
      { class: "rs-header" },
      h("span", { class: "rs-brand" }, mark, h("span", { class: "rs-brand-name", text: "ReSpec Studio" })),
      h("nav", { class: "rs-nav", "aria-label": "Pages" }, PAGES.map(link)),
      !here && !kept("learn") && first(host.root ?? ""),
      h("span", { class: "rs-model" }, dot, status),
      drawer.button,
      callingButton(JSON.parse(host.props.calling), host.root ?? ""),
      theme,
      help,
    ),
  );
  onValue(host, (/** @type {Status} */ value) => {
    status.textContent = value.state === "ready" ? `${value.model} ready · ${value.text}` : value.text;
    status.dataset.state = value.state;
    dot.dataset.state = value.state;
    bus.emit("status", value);
  });
}
