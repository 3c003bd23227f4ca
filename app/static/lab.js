// The Lab page: what any settings would have done, from recorded texts, while a knob is moved.

import { bus } from "./bus.js";
import { fill, h } from "./dom.js";
import { loadPlotly } from "./figures.js";
import { Floating } from "./floating.js";
import { Glossary } from "./glossary.js";
import { LabAddress } from "./lab_address.js";
import { LabConfirm } from "./lab_confirm.js";
import { LabExport } from "./lab_export.js";
import { LabForm } from "./lab_form.js";
import { Asking } from "./lab_asking.js";
import { Hand } from "./lab_hand.js";
import { LabPanel } from "./lab_panel.js";
import { installLabKeys } from "./lab_keys.js";
import { LabKnob } from "./lab_knob.js";
import { LabOwn } from "./lab_own.js";
import { LabPair } from "./lab_pair.js";
import { LabPicture } from "./lab_picture.js";
import { refused } from "./lab_refused.js";
import { LabServed } from "./lab_served.js";
import { LabVerdict } from "./lab_verdict.js";
import { LabWork } from "./lab_work.js";
import { onValue, place } from "./mount.js";
import { Watcher } from "./watcher.js";

/** @import { Host, LabAnswers } from "./page.js" */
/** @import { CurveAnswer, LabMessage, LabPacket, LookAnswer, Question, RegretAnswer, SetAnswer } from "./types.js" */

const CHANGED_MS = 150;
/** @param {Host} host */
export function mount(host) {
  const page = new LabPage(host);
  place(host).append(page.element);
  page.attach();
}

class LabPage {
  ready = false; // the model
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  due = undefined;
  /** @type {SetAnswer | null} */
  known = null;
  /** @type {LookAnswer | null} */
  seen = null; // where the slider stands

  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    const plotly = () => loadPlotly(host.plotly);
    this.floating = new Floating();
    this.asking = new Asking(host);
    this.hand = new Hand(() => void this.rested());
    this.own = new LabOwn({
      choose: () => this.changed(),
      record: (asked) => {
        this.form.column.makeWay();
        this.work.start("record", asked);
      },
      say: (text, bad) => this.say(text, bad),
    });
    this.work = new LabWork(host, {
      take: (message) => this.took(message),
      say: (text, bad) => this.say(text, bad),
      changed: () => this.setBusy(),
    });
    this.form = new LabForm(host, this.own.element, () => this.changed());
    this.knob = new LabKnob(
      () => this.knobChosen(),
      () => this.moved(),
      this.floating,
    );
    this.address = new LabAddress(this.form, this.own, this.knob);
    const parts = { plotly, floating: this.floating };
    this.curve = new LabPanel(parts, { id: "lab-curve", title: "Curve of the knob" });
    this.kinds = new LabPanel(parts, { id: "lab-kinds", title: "By kind, at the cursor" });
    this.picture = new LabPicture(parts, {
      ask: (text) => this.hand.unmoved(this.ask("picture", { text })),
      round: (text, at) => this.ask("round", { text, at }),
      root: this.host.root ?? "",
      say: (text) => this.say(text, true),
    });
    this.pair = new LabPair(parts, (other) => this.ask("pair", { other }));
    this.confirm = new LabConfirm(parts, (all) => {
      const text = all ? "" : this.picture.text;
      this.confirm.clear();
      this.work.start("confirm", { question: JSON.stringify(this.question("look", { text })) });
    });
    this.export = new LabExport(() => this.ask("export"));
    this.served = new LabServed(parts, host);
    this.regret = new LabPanel(parts, { id: "lab-regret", title: "Lost against the best router" });
    this.lengths = new LabPanel(parts, { id: "lab-lengths", title: "Accepted by drafted length" });
    this.positions = new LabPanel(parts, { id: "lab-positions", title: "Acceptance by position" });
    this.title = h("div", { class: "rs-run-title" });
    this.notice = h("div", { class: "rs-notice", role: "status", "aria-live": "polite", hidden: true });
    this.verdict = new LabVerdict();
    this.apply = h("button", { type: "button", class: "rs-quiet", text: "Apply to the form" });
    this.element = this.build();
    const said = (/** @type {HTMLElement} */ panel) => panel.querySelector(".rs-method-line")?.textContent ?? "";
    new Glossary(host.props.glossary, this.floating).title(this.element, (_, panel) => said(panel));
  }

  build() {
    return h(
      "div",
      { class: "rs-lab rs-beside" },
      h("aside", { class: "rs-form-side" }, this.form.element),
      h(
        "div",
        { class: "rs-lab-main rs-form-main" },
        h(
          "div",
          { class: "rs-bar" },
          h(
            "div",
            { class: "rs-bar-head" },
            this.title,
            h("div", { class: "rs-actions" }, this.apply, ...this.confirm.buttons),
          ),
          this.knob.element,
          this.work.element,
          this.notice,
        ),
        this.verdict.element,
        this.confirm.element,
        this.export.element,
        this.curve.element,
        this.picture.element,
        this.regret.element,
        h(
          "div",
          { class: "rs-lab-pair" },
          this.kinds.element,
          h("div", { class: "rs-lab-column" }, this.positions.element, this.lengths.element),
        ),
        this.pair.element,
        this.served.element,
      ),
    );
  }

  attach() {
    onValue(this.host, (/** @type {LabPacket} */ packet) => {
      const [first] = packet.messages;
      if (first?.kind !== "wishes") return this.work.receive(packet);
      this.address.start(first.wishes);
      void this.open();
    });
    bus.on("status", ({ state }) => this.setBusy(state === "ready"));
    bus.on("refused", () => this.work.giveUp("This was not taken: too many are waiting. Try again in a moment."));
    installLabKeys(this);
    if (this.host.server) new Watcher(this.host.server, this.work).start();
    this.apply.addEventListener("click", () => {
      this.form.setValues({ ...this.form.wanted.settings, ...this.knob.moved });
      this.say("These settings are now in the form of Live and Compare too.");
    });
  }

  /**
   * @template {Question["what"]} What
   * @param {What} what
   * @param {Partial<Question>} more
   * @returns {Question & { what: What }}
   */
  question(what, more) {
    const { method, settings } = this.form.wanted;
    const { name, value } = this.knob;
    return { set: this.own.value, method, settings, knob: name, other: "", value, text: "", at: 0, ...more, what };
  }

  /** @param {LabMessage} message of the work */
  took(message) {
    if (message.kind === "recorded") {
      this.own.offer(message.set, message.title);
      this.changed();
    } else if (message.kind === "confirmed") this.confirm.draw(message.panel);
  }

  /** @param {boolean} [ready] whether the model is there */
  setBusy(ready = this.ready) {
    this.ready = ready;
    const busy = !ready || this.work.state !== "idle";
    this.own.setBusy(busy);
    this.confirm.setBusy(busy);
  }

  /** The set, and the method's knobs on it. */
  async open() {
    /** @type {SetAnswer | null} */
    const found = await this.ask("set");
    if (!found) return void this.look();
    this.known = found;
    fill(this.title, h("h1", { text: "Lab" }), h("span", { class: "rs-made", text: found.about }));
    this.form.setMissing(found.missing);
    this.verdict.about(found.exact);
    this.knob.offer(this.form.controls(found.knobs), this.form.wanted.settings, found.first);
    this.picture.offer(found.texts);
    this.pair.offer(this.form.controls(found.knobs), this.knob.name);
    void this.hand.follow(() => this.look());
    await this.draw();
  }

  /** The form was changed: everything is another. */
  changed() {
    this.hand.move();
    this.address.visit();
    this.pair.clear();
    this.confirm.clear();
    clearTimeout(this.due);
    this.due = setTimeout(() => void this.open(), CHANGED_MS);
  }

  knobChosen() {
    void this.hand.follow(() => this.look());
    void this.draw();
    this.pair.offer(this.form.controls(this.known?.knobs ?? []), this.knob.name);
  }

  /** What takes longer waits until the hand rests. */
  async rested() {
    this.address.visit();
    void this.export.draw();
    if (this.seen) {
      this.kinds.draw(this.seen.kinds);
      this.lengths.draw(this.seen.lengths);
      this.positions.draw(this.seen.positions);
    }
    if (await this.picture.draw()) await this.count();
  }

  /** The losses, counted text by text until the hand moves on. */
  async count() {
    for (let left = 1; left > 0;) {
      /** @type {RegretAnswer | null} */
      const found = await this.hand.unmoved(this.ask("regret"));
      if (!found) return;
      left = found.left;
      this.regret.draw(found.panel);
    }
  }

  /** The slider stands elsewhere: the mark at once, the verdict as soon as the server has it. */
  moved() {
    this.curve.mark(this.knob.place);
    void this.hand.follow(() => this.look());
  }

  async look() {
    /** @type {LookAnswer | null} */
    const found = await this.ask("look");
    this.seen = found;
    if (found) this.verdict.draw(found);
  }

  /** The curve, drawn again as its values are computed. */
  async draw() {
    for (let left = 1; left > 0;) {
      /** @type {CurveAnswer | null} */
      const found = await this.ask("curve");
      if (!found) return;
      left = found.left;
      this.knob.know(found.values, found.places);
      const rest = left ? ` Still computing ${left} of ${found.values.length} values.` : "";
      this.curve.draw({ ...found.panel, sentence: found.panel.sentence + rest }, this.knob.place);
    }
  }

  /**
   * @template {Question["what"]} What
   * @param {What} what
   * @param {Partial<Question>} [more]
   * @returns {Promise<LabAnswers[What] | null>} none where a newer question of this kind is under way, or the server refuses
   */
  async ask(what, more = {}) {
    const found = await this.asking.ask(this.question(what, more));
    if (found === null) return null;
    if ("error" in found) {
      this.say(String(found.error), true);
      refused(this, what, Boolean(found.real));
      return null;
    }
    if (what === "look" && this.notice.classList.contains("is-error")) this.say("");
    return found;
  }

  /**
   * @param {string} text
   * @param {boolean} [bad]
   */
  say(text, bad = false) {
    this.notice.textContent = text;
    this.notice.hidden = !text;
    this.notice.classList.toggle("is-error", bad);
  }
}
