// Prompt, method and settings. Every control is drawn from the settings that the engine declares.

import { bus } from "./bus.js";
import { fill, h } from "./dom.js";
import { fillChoices, formFields, formOf } from "./form_fields.js";
import { FormState } from "./form_state.js";
import { keep, kept } from "./keeping.js";
import { knobField } from "./knobs.js";
import { onValue, place } from "./mount.js";

/** @import { Host, PageEvents, RunState } from "./page.js" */
/** @import { Control, RunAsked, Status, Wishes } from "./types.js" */

const LINK_MAX_PROMPT = 2000; // characters

/** @param {Host} host */
export function mount(host) {
  const controls = new Controls(host);
  place(host).append(controls.element);
  controls.attach();
}

class Controls {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.form = new FormState(JSON.parse(host.props.schema), host.props.method);
    /** @type {RunState} */
    this.state = "idle";
    /** @type {Status} */
    this.status = { state: "loading", text: "", model: "", missing: {} };
    this.stream = "";
    /** @type {PageEvents["shown"]} */
    this.shown = { showcase: "", round: 0, token: null };
    this.fields = formFields();
    this.element = formOf(this.fields);
    fillChoices(this.fields, this.form.schema);
    this.listen();
    this.setMethod(host.props.method);
  }

  listen() {
    for (const kind of ["input", "change"]) this.element.addEventListener(kind, () => this.keep());
    const { example, prompt, method, preset, run, stop, reset, link } = this.fields;
    example.addEventListener("change", () => this.pickExample(example.value));
    prompt.addEventListener("input", () => (example.value = ""));
    prompt.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.run();
    });
    method.addEventListener("change", () => this.setMethod(method.value));
    preset.addEventListener("change", () => {
      this.form.startFrom(preset.value);
      this.drawKnobs();
    });
    run.addEventListener("click", () => this.run());
    stop.addEventListener("click", () => this.stop());
    reset.addEventListener("click", () => {
      this.setValues({});
      this.keep();
    });
    link.addEventListener("click", () => this.copyLink());
  }

  attach() {
    onValue(this.host, (wishes) => this.take(wishes));
    bus.on("status", (status) => this.setStatus(status));
    bus.on("state", (state) => this.setState(state));
    bus.on("shown", (shown) => (this.shown = shown));
    bus.on("use", ({ method, values }) => {
      if (values && this.form.schema.methods.some(({ name }) => name === method)) this.setMethod(method);
      this.setValues({ ...values });
      this.keep();
    });
  }

  /** @param {Wishes} wishes of a link or a showcase, checked by the server; else what was here before a reload */
  take(wishes) {
    const { method, example, prompt, settings, plain } = (wishes.asked ? null : this.kept()) ?? wishes;
    if (method) this.setMethod(method);
    this.setValues({ ...settings });
    if (prompt) this.fields.prompt.value = prompt;
    this.fields.example.value = example;
    this.fields.plain.checked = plain;
  }

  /** @returns {Wishes | null} the form as it was left, if it still fits this page */
  kept() {
    const form = kept("form");
    return form && this.form.schema.methods.some(({ name }) => name === form.method) ? form : null;
  }

  keep() {
    const { example, prompt, plain } = this.fields;
    /** @type {Wishes} */
    const form = {
      method: this.form.name,
      example: example.value,
      prompt: prompt.value,
      settings: this.form.changed(),
      plain: plain.checked,
      asked: false,
    };
    keep("form", form);
  }

  /** @param {Status} status */
  setStatus(status) {
    this.status = status;
    for (const option of this.fields.method.options) {
      const { name, title, paper } = this.form.schema.methods.find((m) => m.name === option.value) ?? this.form.method;
      option.textContent = `${title} · ${paper}` + (status.missing[name] ? " (not loaded)" : "");
    }
    this.drawMethod();
  }

  /** @param {RunState} state */
  setState(state) {
    this.state = state;
    this.drawButtons();
  }

  /** @param {string} id */
  pickExample(id) {
    const example = this.form.schema.examples.find((e) => e.id === id);
    if (example) this.fields.prompt.value = example.prompt;
  }

  /** @param {string} name */
  setMethod(name) {
    this.form.name = name;
    this.fields.method.value = name;
    this.drawMethod();
    this.drawKnobs();
  }

  /** @param {Record<string, any>} values */
  setValues(values) {
    this.form.values = values;
    this.drawKnobs();
  }

  drawMethod() {
    const { idea, reason } = this.fields;
    idea.textContent = this.form.method.idea;
    const why = this.status.missing[this.form.name];
    reason.textContent = why ? `Not available here: ${why}` : "";
    reason.hidden = !why;
    this.drawButtons();
  }

  drawButtons() {
    const { run, stop } = this.fields;
    const busy = this.state !== "idle";
    const says = { loading: "Model is loading …", ready: "Run", error: "No model" }[this.status.state];
    run.disabled = busy || this.status.state !== "ready" || Boolean(this.status.missing[this.form.name]);
    run.textContent = busy ? "Running …" : says;
    stop.disabled = !busy;
  }

  drawKnobs() {
    const { knobs } = this.fields;
    const { title, knobs: own } = this.form.method;
    const open = new Set([...knobs.querySelectorAll("details[open]")].map((d) => d.getAttribute("data-group")));
    /** @param {Control[]} controls */
    const fields = (controls) =>
      controls.map((knob) =>
        knobField(
          this.form.own(knob),
          this.form.values[knob.name],
          (value) => {
            this.form.values[knob.name] = value;
            this.drawPreset();
          },
          (value) => this.form.origin(this.form.own(knob), value),
        ),
      );
    fill(
      knobs,
      own.length > 0 && h("fieldset", { class: "rs-group" }, h("legend", { text: title }), fields(own)),
      this.form.schema.groups.map((group) =>
        h(
          "details",
          { class: "rs-group", "data-group": group.id, open: open.has(group.id) },
          h("summary", { text: group.title }),
          fields(group.knobs),
        ),
      ),
    );
    this.drawPreset();
  }

  drawPreset() {
    const { presets } = this.form.method;
    const chosen = this.form.preset;
    fill(
      this.fields.preset,
      presets.map((preset) =>
        h("option", { value: preset.name, selected: preset === chosen, text: `${preset.name}: ${preset.about}` }),
      ),
      !chosen && h("option", { value: "", selected: true, text: "settings of your own" }),
    );
    this.fields.presetField.hidden = !presets.length;
  }

  run() {
    const { run, prompt, plain } = this.fields;
    if (run.disabled) return;
    if (!prompt.value.trim()) return this.say("Write a prompt first, or pick an example.");
    this.say("");
    this.keep();
    this.stream = crypto.randomUUID?.() ?? String(Math.random());
    bus.emit("run", { stream: this.stream });
    /** @type {RunAsked} */
    const asked = {
      stream: this.stream,
      prompt: prompt.value,
      method: this.form.name,
      settings: this.form.changed(),
      plain: plain.checked,
    };
    this.host.trigger("run", asked);
  }

  stop() {
    this.fields.stop.disabled = true;
    this.host.trigger("stop", { stream: this.stream });
    if (this.state === "waiting") bus.emit("giveup", null);
  }

  /** @param {string} text */
  say(text) {
    this.fields.message.textContent = text;
    this.fields.message.hidden = !text;
  }

  url() {
    const { example, prompt, plain } = this.fields;
    const query = new URLSearchParams({ method: this.form.name });
    if (example.value) query.set("example", example.value);
    else if (prompt.value && prompt.value.length <= LINK_MAX_PROMPT) query.set("prompt", prompt.value);
    if (plain.checked) query.set("plain", "1");
    for (const [name, value] of Object.entries(this.form.changed()))
      query.set(name, Array.isArray(value) ? value.join("\n") : String(value));
    const { showcase, round, token } = this.shown;
    if (showcase) {
      query.set("trace", showcase);
      query.set("round", String(round + 1));
      if (token !== null) query.set("token", String(token + 1));
    }
    return `${location.origin}${location.pathname}?${query}`;
  }

  async copyLink() {
    const { link } = this.fields;
    const url = this.url();
    try {
      await navigator.clipboard.writeText(url);
      link.textContent = "Link copied";
    } catch {
      history.replaceState(null, "", url); // no clipboard here: the address bar has it
      link.textContent = "Link is in the address bar";
    }
    setTimeout(() => (link.textContent = "Copy link"), 2500);
  }
}
