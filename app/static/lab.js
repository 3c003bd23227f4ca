// The Lab page: what any settings would have done, from recorded texts, while a knob is moved.

import { fill, h } from "./dom.js";
import { loadPlotly } from "./figures.js";
import { Floating } from "./floating.js";
import { keepForm } from "./form_kept.js";
import { LabForm } from "./lab_form.js";
import { Asking } from "./lab_asking.js";
import { LabPanel } from "./lab_panel.js";
import { LabKnob } from "./lab_knob.js";
import { onValue, place } from "./mount.js";

/** @import { Host } from "./page.js" */
/** @import { CurveAnswer, LookAnswer, Question, SetAnswer, Wishes } from "./types.js" */

const SHIPPED = "shipped";

/** @param {Host} host */
export function mount(host) {
  const page = new LabPage(host);
  place(host).append(page.element);
  page.attach();
}

class LabPage {
  set = SHIPPED;
  /** @type {SetAnswer | null} */
  known = null;

  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    const plotly = () => loadPlotly(host.plotly);
    this.floating = new Floating();
    this.asking = new Asking(host);
    this.form = new LabForm(JSON.parse(host.props.schema), host.props.method, () => this.changed());
    this.knob = new LabKnob(
      () => this.knobChosen(),
      () => this.moved(),
    );
    const parts = { plotly, floating: this.floating };
    this.curve = new LabPanel(parts, { id: "lab-curve", title: "Curve of the knob" });
    this.kinds = new LabPanel(parts, { id: "lab-kinds", title: "By kind, at the cursor" });
    this.lengths = new LabPanel(parts, { id: "lab-lengths", title: "Accepted by drafted length" });
    this.positions = new LabPanel(parts, { id: "lab-positions", title: "Acceptance by position" });
    this.title = h("div", { class: "rs-run-title" });
    this.notice = h("div", { class: "rs-notice", role: "status", "aria-live": "polite", hidden: true });
    this.verdict = h("p", { class: "rs-why-sentence", "aria-live": "polite" });
    this.facts = h("dl", { class: "rs-lab-facts" });
    this.apply = h("button", { type: "button", class: "rs-quiet", text: "Apply to the form" });
    this.element = this.build();
  }

  build() {
    const label = "Verdict";
    return h(
      "div",
      { class: "rs-lab" },
      h("aside", { class: "rs-lab-side" }, this.form.element),
      h(
        "div",
        { class: "rs-lab-main" },
        h(
          "div",
          { class: "rs-bar" },
          h("div", { class: "rs-bar-head" }, this.title, h("div", { class: "rs-actions" }, this.apply)),
          this.knob.element,
          this.notice,
        ),
        h(
          "section",
          { class: "rs-panel rs-panel-verdict", "aria-label": label },
          h("header", {}, h("h2", { text: label }), h("span", { class: "rs-panel-hint", text: REPLAYED })),
          this.verdict,
          this.facts,
        ),
        this.curve.element,
        h("div", { class: "rs-lab-pair" }, this.kinds.element, this.positions.element, this.lengths.element),
      ),
    );
  }

  attach() {
    onValue(this.host, (/** @type {Wishes} */ wishes) => {
      this.form.take(wishes);
      void this.open();
    });
    this.apply.addEventListener("click", () => {
      const { method, settings } = this.form.wanted;
      keepForm({ method, settings: { ...settings, ...this.knob.moved } });
      this.form.setValues({ ...settings, ...this.knob.moved });
      this.say("These settings are now in the form of Live and Compare too.");
    });
  }

  /**
   * @param {Question["what"]} what
   * @returns {Question}
   */
  question(what) {
    const { method, settings } = this.form.wanted;
    const { name, value } = this.knob;
    return { what, set: this.set, method, settings, knob: name, other: "", value, text: "", at: 0 };
  }

  /** The set, and the method's knobs on it. */
  async open() {
    const found = /** @type {SetAnswer | null} */ (await this.ask("set"));
    if (!found) return;
    this.known = found;
    fill(this.title, h("h1", { text: "Lab" }), h("span", { class: "rs-made", text: found.about }));
    this.form.setMissing(found.missing);
    this.knob.offer(this.form.controls(found.knobs), this.form.wanted.settings, found.first);
    void this.look();
    await this.draw();
  }

  /** The form was changed: everything is another. */
  changed() {
    clearTimeout(this.due);
    this.due = setTimeout(() => void this.open(), 150);
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  due = undefined;

  knobChosen() {
    void this.look();
    void this.draw();
  }

  /** The slider stands elsewhere: the mark at once, the panels as soon as the server has them. */
  moved() {
    this.curve.mark(this.knob.place);
    void this.look();
  }

  async look() {
    const found = /** @type {LookAnswer | null} */ (await this.ask("look"));
    if (!found) return;
    this.verdict.textContent = found.verdict;
    fill(
      this.facts,
      found.facts.map(([name, value]) => h("div", {}, h("dt", { text: name }), h("dd", { text: value }))),
    );
    this.kinds.draw(found.kinds);
    this.lengths.draw(found.lengths);
    this.positions.draw(found.positions);
  }

  /** The curve, drawn again as its values are computed. */
  async draw() {
    for (let left = 1; left > 0;) {
      const found = /** @type {CurveAnswer | null} */ (await this.ask("curve"));
      if (!found) return;
      left = found.left;
      this.knob.know(found.values, found.places);
      const rest = left ? ` Still computing ${left} of ${found.values.length} values.` : "";
      this.curve.draw({ ...found.panel, sentence: found.panel.sentence + rest }, this.knob.place);
    }
  }

  /**
   * @param {Question["what"]} what
   * @returns {Promise<object | null>} none where a newer question of this kind is under way, or the server refuses
   */
  async ask(what) {
    const found = await this.asking.ask(this.question(what));
    if (found === null) return null;
    if ("error" in found) {
      this.say(String(found.error), true);
      return null;
    }
    if (what === "look") this.say("");
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

const REPLAYED = "replayed on recorded texts: tokens per pass are exact, times are predicted, never measured";
