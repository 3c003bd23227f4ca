// The head of a run: what it is, what can be done with it, and how far it has got.

import { bus } from "./bus.js";
import { fill, h } from "./dom.js";
import { copied, embedCode } from "./embed.js";
import { openTrace, savePage, saveTrace } from "./exchange.js";
import { Gallery } from "./gallery.js";
import { LOST } from "./held.js";
import { popoverHelp } from "./popover_help.js";
import { setupText } from "./setup_text.js";
import { standingText } from "./standing.js";

/** @import { Context, Host, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Setup } from "./types.js" */

const SAID_MS = 2500;

/** @implements {Panel} */
export class RunTitle {
  id = "title";
  reads = /** @type {const} */ (["run"]);
  always = true;
  /** @type {[]} */
  figures = [];

  constructor() {
    this.element = h("div", { class: "rs-run-title" });
  }

  /** @param {Store} store */
  draw({ run }) {
    fill(
      this.element,
      h("h1", { text: run ? run.title : "Live" }),
      run && h("span", { class: "rs-paper", text: run.paper }),
    );
  }
}

/**
 * Where the run is from, and its settings.
 *
 * @implements {Panel}
 */
export class RunMade {
  id = "made";
  reads = /** @type {const} */ (["run"]);
  always = true;
  /** @type {[]} */
  figures = [];

  /** @param {boolean} served whether there is a form beside it */
  constructor(served) {
    this.served = served;
    this.element = h("div", { class: "rs-run-made" });
  }

  /** @param {Store} store */
  draw({ run, setup, title }) {
    const target = /** @type {Record<string, string> | undefined} */ (run?.models.target); // as it describes itself
    const made = target ? `${target.name} · ${target.device} ${target.dtype}` : "";
    fill(
      this.element,
      h("span", { class: "rs-made", text: [title, made].filter(Boolean).join(" · ") }),
      setup && this.settings(setup),
    );
  }

  /** @param {Setup} setup */
  settings(setup) {
    const text = setupText(setup);
    const told = setup.changed.map(({ label, value }) => h("li", { text: `${label}: ${value}` }));
    const list = h("ul", { class: "rs-setup-list" }, setup.preset && h("li", { text: `preset ${setup.preset}` }), told);
    const all = popoverHelp("rs-setup-all", "Settings of this run", list);
    const use = h("button", { type: "button", class: "rs-quiet rs-use", text: "Use these settings" });
    use.title = "Put the method and the settings of this run into the form";
    use.addEventListener("click", () => bus.emit("use", setup));
    const several = setup.changed.length > 1 && [all.button, all.element];
    return h("span", { class: "rs-setup" }, h("span", { class: "rs-setup-text", text }), several, this.served && use);
  }
}

/** @implements {Panel} */
export class RunActions {
  id = "actions";
  reads = /** @type {const} */ (["state"]);
  always = true;
  /** @type {[]} */
  figures = [];

  /** @param {Context} context */
  constructor({ host, store }) {
    const served = Boolean(host.server); // a saved page has nobody to ask
    const file = h("input", { type: "file", accept: ".json,application/json", hidden: true });
    file.addEventListener("change", () => openTrace(host, file));
    this.element = h(
      "div",
      { class: "rs-actions" },
      new Gallery(JSON.parse(host.props.showcases || "[]"), (name) => host.trigger("showcase", { name })).button,
      served && action("Open trace", "Open a trace file (JSON)", () => file.click()),
      action("Save trace", "Save this run as a trace file (JSON)", () => saveTrace(store)),
      served && action("Save page", "Save this run as one HTML file that plays anywhere", () => savePage(host, store)),
      served && this.embed(host, store),
      file,
    );
  }

  /**
   * @param {Host} host
   * @param {Store} store
   */
  embed(host, store) {
    const title = "Copy the line that shows this run in a frame of another page";
    const button = action("Embed", title, async () => {
      button.textContent = await copied(embedCode(new URL(`${host.root ?? ""}/`, location.href).href, store));
      setTimeout(() => (button.textContent = "Embed"), SAID_MS);
    });
    return button;
  }

  /** @param {Store} store */
  draw({ state }) {
    for (const control of this.element.children) control.toggleAttribute("disabled", state !== "idle");
  }
}

/**
 * @param {string} text
 * @param {string} title
 * @param {() => void} act
 */
const action = (text, title, act) =>
  h("button", { type: "button", class: "rs-quiet", title, text, on: { click: act } });

/** @implements {Panel} */
export class Notice {
  id = "notice";
  reads = /** @type {const} */ (["state"]);
  always = true;
  /** @type {[]} */
  figures = [];

  constructor() {
    this.element = h("div", { class: "rs-notice", role: "status", "aria-live": "polite", hidden: true });
    this.text = "";
    this.offered = false; // to run again
    this.again = action("Run again", "Run once more what was lost", () => bus.emit("again", null));
  }

  /** @param {Store} store */
  draw({ error, progress, waiting, standing, missed, hint, lost, title }) {
    const earlier = title.startsWith(LOST); // and was kept over the reload at the server's return
    const text =
      error ||
      progress?.text ||
      (waiting ? standingText(standing) : "") ||
      (missed ? "some updates were lost; the whole run follows at its end" : hint) ||
      (earlier ? `This run was ${title}: what had arrived until then is shown.` : "");
    const again = lost || earlier;
    if (text !== this.text || again !== this.offered) fill(this.element, text, again && this.again);
    Object.assign(this, { text, offered: again });
    this.element.hidden = !text;
    this.element.parentElement?.toggleAttribute("data-told", Boolean(text)); // in the place of the reason
    this.element.classList.toggle("is-error", Boolean(error));
    this.element.style.setProperty("--share", String(progress?.share ?? 0));
  }
}
