// Compare's form: one prompt and two to four configurations, or runs that are there already.

import { Configuration } from "./configuration.js";
import { fill, h } from "./dom.js";
import { settled } from "./first_sight.js";
import { FormColumn } from "./form_column.js";
import { keepForm, keptForm } from "./form_kept.js";
import { linkButton } from "./link_button.js";
import { PromptField } from "./prompt_field.js";
import { RunsThere } from "./runs_there.js";

/** @import { Form } from "./form_kept.js" */
/** @import { Showcase } from "./runs_there.js" */
/** @import { Row } from "./shelf_store.js" */
/** @import { CompareWishes, FormSchema, LaneWishes, Setup, Status } from "./types.js" */

const LETTERS = "ABCD";
const FEWEST = 2;
const FIRST = ["vanilla", "sam", "respec-strict"]; // what an empty form compares, as far as it is there

export class CompareForm {
  /** @type {Configuration[]} */
  lanes = [];
  busy = false;
  heard = false; // whether anything came from the server: before, nobody there listens either
  /** @type {Status} */
  status = { state: "loading", text: "", model: "", missing: {} };

  /**
   * @param {FormSchema} schema
   * @param {Showcase[]} showcases
   * @param {{ run(): void, stop(): void, pick(): void, changed(): void, address(): string,
   *   outlook?: (asked: string) => Promise<string> }} acts
   */
  constructor(schema, showcases, acts) {
    this.schema = schema;
    this.acts = acts;
    this.prompt = new PromptField(schema.examples, () => this.acts.run());
    this.cards = h("div", { class: "rs-cards" });
    this.add = h("button", { type: "button", class: "rs-quiet", text: "Add a configuration" });
    this.turns = h("input", { type: "checkbox", id: "rs-turns", checked: true });
    this.run = h("button", { type: "submit", class: "rs-button is-primary", id: "rs-compare-run", text: "Compare" });
    this.stop = h("button", {
      type: "button",
      class: "rs-button",
      id: "rs-compare-stop",
      text: "Stop",
      disabled: true,
    });
    this.message = h("p", { class: "rs-form-message", role: "status", "aria-live": "polite", hidden: true });
    this.there = new RunsThere(showcases, () => acts.pick());
    this.link = linkButton(() => this.acts.address());
    this.column = new FormColumn("rs-form");
    this.element = this.build();
    this.column.attach(this.element);
    this.listen();
    this.setLanes(this.usual());
  }

  /** @returns {LaneWishes[]} */
  usual() {
    const there = FIRST.filter((name) => this.schema.methods.some((method) => method.name === name));
    const names = there.length >= FEWEST ? there : this.schema.methods.slice(0, FEWEST).map(({ name }) => name);
    return names.map((method) => ({ method, settings: {} }));
  }

  build() {
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault(); // Enter in any setting compares
      this.acts.run();
    };
    return h(
      "form",
      { class: "rs-controls", id: "rs-form", "aria-label": "What to compare", on: { submit } },
      this.column.button,
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
      this.there.element,
      h("div", { class: "rs-formfoot" }, h("span"), this.link),
    );
  }

  listen() {
    this.stop.addEventListener("click", () => {
      this.stop.disabled = true;
      this.acts.stop();
    });
    for (const part of [this.prompt.element, this.cards, this.turns])
      for (const kind of ["input", "change"]) part.addEventListener(kind, () => this.acts.changed());
    this.add.addEventListener("click", () => {
      const { name, values } = this.lanes[this.lanes.length - 1].form;
      this.setLanes([...this.wanted, { method: name, settings: { ...values } }]);
      this.acts.changed();
    });
  }

  get wanted() {
    return this.lanes.map(({ form }) => ({ method: form.name, settings: form.changed() }));
  }

  /** @param {LaneWishes[]} wanted */
  setLanes(wanted) {
    this.lanes = wanted.map(({ method, settings }, i) => {
      const changed = () => {
        this.drawButtons();
        this.acts.changed();
      };
      const id = `rs-${LETTERS[i].toLowerCase()}`;
      const lane = new Configuration(this.schema, method, id, changed, this.acts.outlook);
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

  /**
   * @param {CompareWishes} wishes of an address, checked by the server
   * @returns {boolean} whether the form is rather as it was left
   */
  take({ example, prompt, lanes, turns, traces, asked }) {
    settled();
    this.there.pickShowcases(traces);
    const held = keptForm(asked);
    const mine = held && this.left(held);
    this.prompt.take(mine ? held : { example, prompt });
    if (mine || lanes.length) this.setLanes(mine || lanes);
    this.turns.checked = mine ? (held.turns ?? true) : turns > 0;
    this.heard = true;
    this.drawButtons();
    return Boolean(mine);
  }

  /** @param {Array<Setup | null>} setups of runs that are shown, to be made again */
  setUps(setups) {
    const lanes = setups.flatMap((setup) => (setup ? [{ method: setup.method, settings: { ...setup.values } }] : []));
    if (lanes.length >= FEWEST && this.knows(lanes)) this.setLanes(lanes);
  }

  /** @param {Row} row of a run whose prompt is wanted again, as far as it is known */
  ask({ showcase, asked }) {
    const example = this.there.showcases.find(({ name }) => name === showcase)?.example;
    if (example) this.prompt.pick(example);
    if (example || asked) this.prompt.take({ example: example ?? "", prompt: asked ?? "" });
  }

  /** @param {LaneWishes[]} lanes */
  knows(lanes) {
    return lanes.every((lane) => this.schema.methods.some(({ name }) => name === lane.method));
  }

  /**
   * @param {Form} held
   * @returns {LaneWishes[] | null} its configurations, Live's own first; none if they do not fit this page
   */
  left({ method, settings, others }) {
    const rest = others ?? this.usual().filter((lane) => lane.method !== method);
    const lanes = [{ method, settings }, ...rest];
    return this.knows(lanes) && lanes.length >= FEWEST ? lanes.slice(0, LETTERS.length) : null;
  }

  keep() {
    if (!this.heard) return; // what the address asks for is still to come
    const [first, ...others] = this.wanted;
    keepForm({ ...first, ...this.prompt.held, others, turns: this.turns.checked });
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
    const ready = this.heard && this.status.state === "ready";
    this.run.disabled = this.busy || !ready || !this.lanes.every((lane) => lane.runnable);
    this.stop.disabled = !this.busy;
    this.there.setBusy(this.busy);
  }

  /** @param {string} text */
  say(text) {
    this.message.textContent = text;
    this.message.hidden = !text;
    if (text) this.column.set(true);
    else this.column.makeWay();
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
}
