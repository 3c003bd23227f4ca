// Prompt, method and settings. Every control is drawn from the settings that the engine declares.

import { fill, h } from "./dom.js";
import { knobField } from "./knobs.js";

export function mount(host) {
  const controls = new Controls(host);
  host.element.querySelector(".rs").append(controls.element);
  controls.attach();
  return controls;
}

class Controls {
  constructor(host) {
    this.host = host;
    this.schema = JSON.parse(host.props.schema);
    this.values = {}; // what the reader changed, by setting name; kept while methods change
    this.missing = {};
    this.state = "idle";
    this.ready = false;
    this.build();
    this.fillExamples();
    this.setMethod(host.props.method);
  }

  build() {
    this.example = h("select", {
      class: "rs-select",
      id: "rs-example",
      on: { change: () => this.pickExample(this.example.value) },
    });
    this.prompt = h("textarea", {
      class: "rs-textarea",
      id: "rs-prompt",
      rows: 9,
      spellcheck: "false",
      placeholder: "Write something, or pick an example.",
      "aria-label": "Prompt",
      on: {
        input: () => {
          this.example.value = "";
        },
        keydown: (event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            this.run();
          }
        },
      },
    });
    this.method = h("select", {
      class: "rs-select",
      id: "rs-method",
      on: { change: () => this.setMethod(this.method.value) },
    });
    this.idea = h("p", { class: "rs-idea" });
    this.reason = h("p", { class: "rs-missing", hidden: true });
    this.preset = h("select", {
      class: "rs-select",
      id: "rs-preset",
      on: { change: () => this.pickPreset(this.preset.value) },
    });
    this.presetField = h(
      "div",
      { class: "rs-field" },
      h("label", { class: "rs-label", for: "rs-preset", text: "Preset" }),
      this.preset,
    );
    this.runButton = h("button", {
      type: "button",
      class: "rs-button is-primary",
      id: "rs-run",
      text: "Run",
      on: { click: () => this.run() },
    });
    this.stopButton = h("button", {
      type: "button",
      class: "rs-button",
      id: "rs-stop",
      text: "Stop",
      disabled: true,
      on: { click: () => this.stop() },
    });
    this.plain = h("input", { type: "checkbox", id: "rs-plain" });
    this.message = h("p", { class: "rs-form-message", role: "status", "aria-live": "polite", hidden: true });
    this.knobs = h("div", { class: "rs-knobs" });
    const label = (text, id) => h("label", { class: "rs-label", for: id, text });
    const quiet = (text, run) => h("button", { type: "button", class: "rs-quiet", text, on: { click: run } });
    this.link = quiet("Copy link", () => this.copyLink());
    this.element = h(
      "form",
      { class: "rs-controls", "aria-label": "Run settings", on: { submit: (event) => event.preventDefault() } },
      h("div", { class: "rs-field" }, label("Prompt", "rs-prompt"), this.example, this.prompt),
      h("div", { class: "rs-field" }, label("Method", "rs-method"), this.method, this.idea, this.reason),
      this.presetField,
      h("div", { class: "rs-runrow" }, this.runButton, this.stopButton),
      h("label", { class: "rs-check" }, this.plain, h("span", { text: "time it against plain decoding afterwards" })),
      this.message,
      h(
        "details",
        { class: "rs-settings", open: !matchMedia("(max-width: 900px)").matches },
        h("summary", { text: "Settings" }),
        this.knobs,
      ),
      h(
        "div",
        { class: "rs-formfoot" },
        quiet("Reset settings", () => this.reset()),
        this.link,
      ),
    );
  }

  attach() {
    const { watch, props } = this.host;
    const take = () => {
      if (props.value) this.take(JSON.parse(props.value));
    };
    watch("value", take);
    take();
    document.addEventListener("respec:status", (event) => this.setStatus(event.detail));
    document.addEventListener("respec:state", (event) => this.setState(event.detail.state));
    if (window.respecStatus) this.setStatus(window.respecStatus);
  }

  fillExamples() {
    const kinds = [...new Set(this.schema.examples.map((example) => example.kind))];
    fill(
      this.example,
      h("option", { value: "", text: "Examples …" }),
      kinds.map((kind) =>
        h(
          "optgroup",
          { label: kind },
          this.schema.examples.filter((e) => e.kind === kind).map((e) => h("option", { value: e.id, text: e.title })),
        ),
      ),
    );
    fill(
      this.method,
      this.schema.methods.map((m) => h("option", { value: m.name, text: `${m.title} · ${m.paper}` })),
    );
  }

  // A link's wishes, checked by the server.
  take({ method, example, prompt, settings, plain }) {
    if (method) this.setMethod(method);
    if (settings) {
      this.values = { ...settings };
      this.drawKnobs();
    }
    if (prompt) this.prompt.value = prompt;
    this.example.value = example || "";
    this.plain.checked = Boolean(plain);
  }

  setStatus({ state, missing }) {
    this.ready = state === "ready";
    this.failed = state === "error";
    this.missing = missing || {};
    for (const option of this.method.options) {
      const method = this.schema.methods.find((m) => m.name === option.value);
      option.textContent = `${method.title} · ${method.paper}` + (this.missing[method.name] ? " (not loaded)" : "");
    }
    this.drawMethod();
  }

  setState(state) {
    this.state = state;
    this.drawButtons();
  }

  pickExample(id) {
    const example = this.schema.examples.find((e) => e.id === id);
    if (example) this.prompt.value = example.prompt;
  }

  setMethod(name) {
    this.method.value = name;
    this.drawMethod();
    this.drawKnobs();
  }

  drawMethod() {
    const method = this.current();
    this.idea.textContent = method.idea;
    const why = this.missing[method.name];
    this.reason.textContent = why ? `Not available here: ${why}` : "";
    this.reason.hidden = !why;
    this.drawButtons();
  }

  drawButtons() {
    const busy = this.state !== "idle";
    this.runButton.disabled = busy || !this.ready || Boolean(this.missing[this.method.value]);
    this.runButton.textContent = busy
      ? "Running …"
      : this.ready
        ? "Run"
        : this.failed
          ? "No model"
          : "Model is loading …";
    this.stopButton.disabled = !busy;
  }

  current() {
    return this.schema.methods.find((m) => m.name === this.method.value);
  }

  drawKnobs() {
    const method = this.current();
    const open = new Set([...this.knobs.querySelectorAll("details[open]")].map((d) => d.dataset.group));
    const fields = (knobs) =>
      knobs.map((knob) =>
        knobField(this.withDefault(knob), this.values[knob.name], (value) => {
          this.values[knob.name] = value;
          this.drawPreset();
        }),
      );
    fill(
      this.knobs,
      method.knobs.length
        ? h("fieldset", { class: "rs-group" }, h("legend", { text: method.title }), fields(method.knobs))
        : null,
      this.schema.groups.map((group) =>
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

  // The preset that the settings agree with, if one does.
  drawPreset() {
    const { presets } = this.current();
    const held = { ...this.defaults(), ...this.values };
    const agrees = (preset) =>
      this.presetNames().every((name) => held[name] === (preset.values[name] ?? this.defaults()[name]));
    const agreeing = presets.filter(agrees);
    const chosen = agreeing.find((preset) => preset.name === this.picked) ?? agreeing[0]; // two may hold the same
    fill(
      this.preset,
      presets.map((preset) =>
        h("option", { value: preset.name, selected: preset === chosen, text: `${preset.name}: ${preset.about}` }),
      ),
      chosen ? null : h("option", { value: "", selected: true, text: "settings of your own" }),
    );
    this.presetField.hidden = !presets.length;
  }

  pickPreset(name) {
    const preset = this.current().presets.find((p) => p.name === name);
    if (!preset) return;
    this.picked = name;
    for (const setting of this.presetNames()) delete this.values[setting];
    Object.assign(this.values, preset.values);
    this.drawKnobs();
  }

  // Every setting that some preset of this method decides.
  presetNames() {
    return [...new Set(this.current().presets.flatMap((preset) => Object.keys(preset.values)))];
  }

  knobsShown() {
    return [...this.current().knobs, ...this.schema.groups.flatMap((group) => group.knobs)].map((knob) =>
      this.withDefault(knob),
    );
  }

  defaults() {
    return Object.fromEntries(this.knobsShown().map((knob) => [knob.name, knob.default]));
  }

  // A method may start from its own default for a shared setting.
  withDefault(knob) {
    const own = this.current().defaults;
    return knob.name in own ? { ...knob, default: own[knob.name] } : knob;
  }

  // Only settings that the chosen method knows, and only where they differ from their defaults.
  changed() {
    const changed = {};
    for (const knob of this.knobsShown()) {
      const value = this.values[knob.name];
      if (value !== undefined && JSON.stringify(value) !== JSON.stringify(knob.default)) changed[knob.name] = value;
    }
    return changed;
  }

  run() {
    if (this.runButton.disabled) return;
    if (!this.prompt.value.trim()) return this.say("Write a prompt first, or pick an example.");
    this.say("");
    this.stream = crypto.randomUUID?.() || String(Math.random());
    this.setState("waiting");
    document.dispatchEvent(new CustomEvent("respec:run", { detail: { stream: this.stream } }));
    this.host.trigger("run", {
      stream: this.stream,
      prompt: this.prompt.value,
      method: this.method.value,
      settings: this.changed(),
      plain: this.plain.checked,
    });
  }

  stop() {
    this.stopButton.disabled = true;
    this.host.trigger("stop", { stream: this.stream });
    if (this.state === "waiting") document.dispatchEvent(new Event("respec:giveup"));
  }

  reset() {
    this.values = {};
    this.drawKnobs();
  }

  say(text) {
    this.message.textContent = text;
    this.message.hidden = !text;
  }

  url() {
    const query = new URLSearchParams();
    query.set("method", this.method.value);
    if (this.example.value) query.set("example", this.example.value);
    else if (this.prompt.value && this.prompt.value.length <= 2000) query.set("prompt", this.prompt.value);
    if (this.plain.checked) query.set("plain", "1");
    for (const [name, value] of Object.entries(this.changed()))
      query.set(name, Array.isArray(value) ? value.join("\n") : String(value));
    return `${location.origin}${location.pathname}?${query}`;
  }

  async copyLink() {
    const url = this.url();
    try {
      await navigator.clipboard.writeText(url);
      this.link.textContent = "Link copied";
    } catch {
      history.replaceState(null, "", url); // no clipboard here: the address bar has it
      this.link.textContent = "Link is in the address bar";
    }
    setTimeout(() => {
      this.link.textContent = "Copy link";
    }, 2500);
  }
}
