// Live's form: prompt, method and settings, drawn from what the engine declares.

import { bus } from "./bus.js";
import { Configuration } from "./configuration.js";
import { h } from "./dom.js";
import { FormColumn } from "./form_column.js";
import { keepForm, keptForm } from "./form_kept.js";
import { linkButton } from "./link_button.js";
import { newStream, onValue, place } from "./mount.js";
import { PromptField } from "./prompt_field.js";

/** @import { Host, PageEvents, RunState } from "./page.js" */
/** @import { FormSchema, RunAsked, Status, Wishes } from "./types.js" */

/** @param {Host} host */
export function mount(host) {
  const controls = new Controls(host);
  place(host).append(controls.element);
  controls.attach();
}

class Controls {
  /** @type {RunState} */
  state = "idle";
  /** @type {Status} */
  status = { state: "loading", text: "", model: "", missing: {} };
  /** @type {RunAsked | null} */
  asked = null; // last
  taken = false; // whether wishes have come
  /** @type {PageEvents["shown"]} */
  shown = { showcase: "", run: "", round: 0, token: null };
  runButton = h("button", { type: "submit", class: "rs-button is-primary", id: "rs-run", text: "Run" });
  stopButton = h("button", { type: "button", class: "rs-button", id: "rs-stop", text: "Stop", disabled: true });
  plain = h("input", { type: "checkbox", id: "rs-plain" });
  message = h("p", { class: "rs-form-message", role: "status", "aria-live": "polite", hidden: true });
  reset = h("button", { type: "button", class: "rs-quiet", text: "Reset settings" });
  link = linkButton(() => this.url());

  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    /** @type {FormSchema} */
    const schema = JSON.parse(host.props.schema);
    this.prompt = new PromptField(schema.examples, () => this.run());
    const { server } = host;
    const ask = server && ((/** @type {string} */ asked) => server.outlook(asked));
    this.configuration = new Configuration(schema, host.props.method, "rs", () => this.drawButtons(), ask);
    this.column = new FormColumn("rs-form");
    this.element = this.build();
    this.column.attach(this.element);
    for (const kind of ["input", "change"]) this.element.addEventListener(kind, () => this.keep());
    this.stopButton.addEventListener("click", () => this.stop());
    this.reset.addEventListener("click", () => {
      this.configuration.setValues({});
      this.keep();
    });
    this.drawButtons();
  }

  build() {
    const { methodField, presetField, knobs } = this.configuration;
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault(); // Enter in any setting runs
      this.run();
    };
    const skip = h("button", { type: "button", class: "rs-button rs-skip", text: "To the run" });
    skip.addEventListener("click", () => bus.emit("torun", null));
    return h(
      "form",
      { class: "rs-controls", id: "rs-form", "aria-label": "Run settings", on: { submit } },
      this.column.button,
      this.prompt.element,
      methodField,
      presetField,
      h("div", { class: "rs-runrow" }, this.runButton, this.stopButton, skip),
      h("label", { class: "rs-check" }, this.plain, h("span", { text: "time it against plain decoding afterwards" })),
      this.message,
      knobs,
      h("div", { class: "rs-formfoot" }, this.reset, this.link),
    );
  }

  attach() {
    onValue(this.host, (wishes) => this.take(wishes));
    bus.on("status", (status) => this.setStatus(status));
    bus.on("state", (state) => this.setState(state));
    bus.on("again", () => this.again());
    bus.on("shown", (shown) => (this.shown = shown));
    bus.on("use", ({ method, values }) => {
      if (values && this.knows(method)) this.configuration.setMethod(method);
      this.configuration.setValues({ ...values });
      this.keep();
    });
  }

  /** @param {string} method */
  knows(method) {
    return this.configuration.form.schema.methods.some(({ name }) => name === method);
  }

  /** @param {Wishes} wishes of a link or a showcase, checked by the server; at first those of before a reload go before */
  take(wishes) {
    const held = this.taken ? null : keptForm(wishes.asked);
    this.taken = true;
    const { method, example, prompt, settings, plain } = held && this.knows(held.method) ? held : wishes;
    if (method) this.configuration.setMethod(method);
    this.configuration.setValues({ ...settings });
    this.prompt.take({ example, prompt });
    this.plain.checked = plain;
    this.drawButtons();
  }

  keep() {
    if (!this.taken) return; // what the address asks for is still to come
    const { form } = this.configuration;
    keepForm({ method: form.name, ...this.prompt.held, settings: form.changed(), plain: this.plain.checked });
  }

  /** @param {Status} status */
  setStatus(status) {
    this.status = status;
    this.configuration.setMissing(status.missing);
    this.drawButtons();
  }

  /** @param {RunState} state */
  setState(state) {
    this.state = state;
    this.drawButtons();
  }

  drawButtons() {
    const busy = this.state !== "idle";
    const says = { loading: "Model is loading …", ready: "Run", error: "No model" }[this.status.state];
    const heard = this.taken; // before anything came from the server nobody there listens either
    this.runButton.disabled = busy || !heard || this.status.state !== "ready" || !this.configuration.runnable;
    this.runButton.textContent = busy ? "Running …" : says;
    this.stopButton.disabled = !busy;
  }

  run() {
    if (this.runButton.disabled) return;
    if (!this.prompt.value.trim()) return this.say("Write a prompt first, or pick an example.");
    this.say("");
    this.keep();
    this.column.makeWay();
    const { form } = this.configuration;
    this.ask({
      stream: newStream(),
      prompt: this.prompt.value,
      method: form.name,
      settings: form.changed(),
      plain: this.plain.checked,
    });
  }

  /** @param {RunAsked} asked */
  ask(asked) {
    this.asked = asked;
    bus.emit("run", { stream: asked.stream });
    this.host.trigger("run", asked);
  }

  /** What was lost, whatever the form says by now; after a reload it says just that. */
  again() {
    if (!this.asked) this.run();
    else if (this.state === "idle") this.ask({ ...this.asked, stream: newStream() });
  }

  stop() {
    this.stopButton.disabled = true;
    this.host.trigger("stop", { stream: this.asked?.stream });
    if (this.state === "waiting") bus.emit("giveup", null);
  }

  /** @param {string} text */
  say(text) {
    this.message.textContent = text;
    this.message.hidden = !text;
    if (text) this.column.set(true);
  }

  url() {
    const query = new URLSearchParams([
      ["method", this.configuration.form.name],
      ...this.prompt.spelt(),
      ...(this.plain.checked ? [["plain", "1"]] : []),
      ...this.configuration.spelt(),
    ]);
    const { showcase, run, round, token } = this.shown;
    if (showcase || run) {
      query.set(showcase ? "trace" : "run", showcase || run); // a run of this browser's shelf
      query.set("round", String(round + 1));
      if (token !== null) query.set("token", String(token + 1));
    }
    return `${location.origin}${location.pathname}?${query}`;
  }
}
