// Compare's form: one prompt and two to four configurations, or runs that are there already.

import { Configuration } from "./configuration.js";
import { fill, h } from "./dom.js";
import { linkButton } from "./link_button.js";
import { PromptField } from "./prompt_field.js";

/** @import { CompareWishes, FormSchema, Status } from "./types.js" */

/** @typedef {{ name: string, title: string, example: string }} Showcase */
/** @typedef {{ label: string, showcase?: string, text?: string }} Picked a run that is there already */

const LETTERS = "ABCD";
const FEWEST = 2;
const FIRST = ["vanilla", "sam", "respec-strict"]; // what an empty form compares, as far as it is there

export class CompareForm {
  /** @type {Configuration[]} */
  lanes = [];
  /** @type {Picked[]} */
  picked = [];
  busy = false;
  /** @type {Status} */
  status = { state: "loading", text: "", model: "", missing: {} };

  /**
   * @param {FormSchema} schema
   * @param {Showcase[]} showcases
   * @param {{ run(): void, stop(): void, pick(): void, changed(): void, address(): string }} acts
   */
  constructor(schema, showcases, acts) {
    this.schema = schema;
    this.showcases = showcases;
    this.acts = acts;
    this.prompt = new PromptField(schema.examples, () => this.acts.run());
    this.cards = h("div", { class: "rs-cards" });
    this.add = h("button", { type: "button", class: "rs-quiet", text: "Add a configuration" });
    this.turns = h("input", { type: "checkbox", id: "rs-turns", checked: true });
    this.run = h("button", { type: "button", class: "rs-button is-primary", id: "rs-compare-run", text: "Compare" });
    this.stop = h("button", {
      type: "button",
      class: "rs-button",
      id: "rs-compare-stop",
      text: "Stop",
      disabled: true,
    });
    this.message = h("p", { class: "rs-form-message", role: "status", "aria-live": "polite", hidden: true });
    this.list = h("ul", { class: "rs-picks" });
    this.file = h("input", { type: "file", accept: ".json,application/json", hidden: true, multiple: true });
    this.pick = h("button", {
      type: "button",
      class: "rs-button is-primary",
      id: "rs-compare-pick",
      text: "Compare these",
    });
    this.link = linkButton(() => this.acts.address());
    this.element = this.build();
    this.listen();
    this.setLanes(this.usual());
    this.drawPicks();
  }

  /** @returns {Array<{ method: string, settings: Record<string, any> }>} */
  usual() {
    const there = FIRST.filter((name) => this.schema.methods.some((method) => method.name === name));
    const names = there.length >= FEWEST ? there : this.schema.methods.slice(0, FEWEST).map(({ name }) => name);
    return names.map((method) => ({ method, settings: {} }));
  }

  build() {
    const open = h("button", {
      type: "button",
      class: "rs-quiet",
      text: "Open traces …",
      on: { click: () => this.file.click() },
    });
    const prevent = (/** @type {Event} */ event) => event.preventDefault();
    return h(
      "form",
      { class: "rs-controls", "aria-label": "What to compare", on: { submit: prevent } },
      this.prompt.element,
      this.cards,
      this.add,
      h(
        "label",
        { class: "rs-check" },
        this.turns,
        h("span", { text: "then repeat silently, 3 times in turn, for × plain" }),
      ),
      h("div", { class: "rs-runrow" }, this.run, this.stop),
      this.message,
      h(
        "details",
        { class: "rs-settings rs-there" },
        h("summary", { text: "Or compare runs that are there" }),
        h("p", { class: "rs-idea", text: "Two to four of one prompt: recorded runs, or traces that you saved." }),
        this.list,
        h("div", { class: "rs-runrow" }, this.pick, open, this.file),
      ),
      h("div", { class: "rs-formfoot" }, h("span"), this.link),
    );
  }

  listen() {
    this.run.addEventListener("click", () => this.acts.run());
    this.stop.addEventListener("click", () => {
      this.stop.disabled = true;
      this.acts.stop();
    });
    this.pick.addEventListener("click", () => this.acts.pick());
    this.add.addEventListener("click", () => {
      const { name, values } = this.lanes[this.lanes.length - 1].form;
      this.setLanes([...this.wanted, { method: name, settings: { ...values } }]);
      this.acts.changed();
    });
    this.file.addEventListener("change", () => void this.open());
  }

  get wanted() {
    return this.lanes.map(({ form }) => ({ method: form.name, settings: form.changed() }));
  }

  /** @param {Array<{ method: string, settings: Record<string, any> }>} wanted */
  setLanes(wanted) {
    this.lanes = wanted.map(({ method, settings }, i) => {
      const lane = new Configuration(this.schema, method, `rs-${LETTERS[i].toLowerCase()}`, () => {
        this.drawButtons();
        this.acts.changed();
      });
      lane.form.values = { ...settings };
      lane.drawKnobs();
      lane.setMissing(this.status.missing);
      return lane;
    });
    fill(
      this.cards,
      this.lanes.map((lane, i) => this.card(lane, i)),
    );
    this.add.hidden = this.lanes.length >= LETTERS.length;
    this.drawButtons();
  }

  /**
   * @param {Configuration} lane
   * @param {number} i
   */
  card({ methodField, presetField, knobs }, i) {
    const letter = LETTERS[i];
    const remove = h("button", {
      type: "button",
      class: "rs-quiet",
      text: "Remove",
      "aria-label": `Remove configuration ${letter}`,
    });
    remove.addEventListener("click", () => {
      this.setLanes(this.wanted.filter((_, at) => at !== i));
      this.acts.changed();
    });
    const head = h(
      "div",
      { class: "rs-card-head" },
      h("span", { class: `rs-letter rs-lane-${letter}`, text: letter }),
      this.lanes.length > FEWEST && remove,
    );
    const settings = h("details", { class: "rs-lane-settings" }, h("summary", { text: "Settings" }), knobs);
    const label = `Configuration ${letter}`;
    return h(
      "div",
      { class: "rs-lane-card", role: "group", "aria-label": label },
      head,
      methodField,
      presetField,
      settings,
    );
  }

  /** @param {CompareWishes} wishes of an address, checked by the server */
  take({ example, prompt, lanes, turns, traces }) {
    this.prompt.take({ example, prompt });
    if (lanes.length) this.setLanes(lanes);
    this.turns.checked = turns > 0;
    this.picked = traces.map((name) => ({ label: this.titleOf(name), showcase: name }));
    this.drawPicks();
  }

  /** @param {string} name */
  titleOf(name) {
    return this.showcases.find((showcase) => showcase.name === name)?.title ?? name;
  }

  /** @param {Status} status */
  setStatus(status) {
    this.status = status;
    for (const lane of this.lanes) lane.setMissing(status.missing);
    this.drawButtons();
  }

  /** @param {boolean} busy */
  setBusy(busy) {
    this.busy = busy;
    this.drawButtons();
  }

  drawButtons() {
    const says = { loading: "Model is loading …", ready: "Compare", error: "No model" }[this.status.state];
    this.run.textContent = this.busy ? "Comparing …" : says;
    this.run.disabled = this.busy || this.status.state !== "ready" || !this.lanes.every((lane) => lane.runnable);
    this.stop.disabled = !this.busy;
    this.pick.disabled = this.busy || this.picked.length < FEWEST || this.picked.length > LETTERS.length;
  }

  // Showcases, then opened traces; the order in which they are ticked is the order of the letters.
  drawPicks() {
    const there = this.showcases.map(({ name, title }) => ({ label: title, showcase: name }));
    const opened = this.picked.filter(({ text }) => text !== undefined);
    fill(
      this.list,
      [...there, ...opened].map((run) => {
        const at = this.picked.findIndex((p) => (run.showcase ? p.showcase === run.showcase : p === run));
        const box = h("input", { type: "checkbox", checked: at >= 0, on: { change: () => this.tick(run, at) } });
        const letter =
          at >= 0 && h("span", { class: `rs-letter rs-lane-${LETTERS[at] ?? "D"}`, text: LETTERS[at] ?? "+" });
        return h("li", {}, h("label", { class: "rs-check" }, box, letter, h("span", { text: run.label })));
      }),
    );
    this.drawButtons();
  }

  /**
   * @param {Picked} run
   * @param {number} at among the picked, -1 for none
   */
  tick(run, at) {
    this.picked = at >= 0 ? this.picked.filter((_, i) => i !== at) : [...this.picked, run];
    this.drawPicks();
  }

  async open() {
    const files = [...(this.file.files ?? [])];
    this.file.value = "";
    const texts = await Promise.all(files.map((file) => file.text()));
    this.picked = [...this.picked, ...files.map(({ name }, i) => ({ label: name, text: texts[i] }))];
    this.drawPicks();
  }

  /** @param {string} text */
  say(text) {
    this.message.textContent = text;
    this.message.hidden = !text;
  }

  /** The form as an address. */
  query() {
    const query = new URLSearchParams(this.prompt.spelt());
    this.lanes.forEach((lane, i) => {
      const letter = LETTERS[i].toLowerCase();
      query.set(letter, lane.form.name);
      for (const [name, value] of lane.spelt()) query.set(`${letter}.${name}`, value);
    });
    if (!this.turns.checked) query.set("turns", "0");
    return query;
  }

  /** The picked runs as an address, if they all have a name there. */
  pickedQuery() {
    const names = this.picked.map(({ showcase }) => showcase);
    return names.every(Boolean) ? new URLSearchParams({ traces: names.join() }) : null;
  }
}
