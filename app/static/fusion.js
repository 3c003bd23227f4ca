// The drafter's tree, the retrieved one with its pruned branches, and what they became together.

import { fill, h, table, visible } from "./dom.js";
import { nodeCard } from "./cards.js";
import { draws } from "./drawings.js";
import { Figure } from "./figures.js";

const PARTS = ["drafter", "retrieval", "fused"];
const TREES = { drafter: "drafter", retrieval: "retrieval", fused: "final" };

export class FusionPanel {
  constructor({ plotly, store, floating }) {
    this.store = store;
    this.line = h("p", { class: "rs-fusion-line" });
    this.total = h("p", { class: "rs-fusion-total" });
    this.parts = Object.fromEntries(PARTS.map((name) => [name, this.part(name, plotly, floating)]));
    this.trees = h(
      "div",
      { class: "rs-fusion-trees" },
      PARTS.map((name) => this.parts[name].element),
    );
    this.tables = h("div", { class: "rs-panel-table", hidden: true });
    this.toggle = h("button", {
      class: "rs-quiet",
      type: "button",
      "aria-pressed": "false",
      text: "Table",
      on: { click: () => this.showTable(this.tables.hidden) },
    });
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-fusion", "aria-label": "Fusion" },
      h(
        "header",
        {},
        h("h2", { text: "Fusion" }),
        h(
          "span",
          { class: "rs-panel-hint" },
          sourceKey("drafter", "drafter"),
          sourceKey("retrieval", "retrieval"),
          sourceKey("both", "both"),
          sourceKey("pruned", "pruned"),
        ),
        h("span", { class: "rs-panel-tools" }, this.toggle),
      ),
      this.line,
      this.trees,
      this.tables,
      this.total,
    );
  }

  part(name, plotly, floating) {
    const title = h("h3", {}),
      note = h("span", { class: "rs-panel-hint" });
    const figure = new Figure(plotly, {
      onHover: (id, rect) => floating.show(this.card(name, id), rect),
      onLeave: () => floating.hide(),
    });
    return {
      title,
      note,
      figure,
      element: h("div", { class: "rs-fusion-part" }, h("div", { class: "rs-fusion-head" }, title, note), figure.scroll),
    };
  }

  draw(view, round, total) {
    this.view = view;
    this.round = round;
    this.line.textContent = view.sentence;
    this.total.textContent = total || "";
    const [own, ...others] = view.trees.map((tree) => Math.max(200, tree.figure.min_width));
    this.trees.style.setProperty(
      "--columns",
      [`${Math.min(340, own + 30)}px`, ...others.map((width) => `minmax(0, ${width}fr)`)].join(" "),
    );
    for (const tree of view.trees) {
      const part = this.parts[tree.name];
      part.title.textContent = tree.title;
      part.note.textContent = tree.note;
      part.figure.draw(tree.figure, `${this.store.run?.run_id}-${round}`);
    }
    this.fillTable();
  }

  card(name, id) {
    const nodes = this.store.steps[this.round]?.trees[TREES[name]];
    if (name === "fused") return nodeCard(this.store, this.round, id);
    const node = nodes?.[id],
      why = this.view?.trees.find((tree) => tree.name === name)?.why[id];
    if (!node) return null;
    const says = id === 0 ? "the last committed token" : why ? `pruned: ${why}` : "went into the fused tree";
    return h(
      "div",
      { class: "rs-note" },
      h("strong", { class: "mono", text: visible(node.text) }),
      h("p", { text: says }),
    );
  }

  showTable(on) {
    this.tables.hidden = !on;
    this.trees.hidden = on;
    this.toggle.setAttribute("aria-pressed", String(on));
    this.fillTable();
    if (!on) for (const figure of this.figures) figure.flush();
  }

  fillTable() {
    if (this.tables.hidden || !this.view) return;
    const step = this.store.steps[this.round];
    fill(
      this.tables,
      this.view.trees.map((tree) => [
        h("h3", { text: tree.title }),
        table(
          [...COLUMNS, { key: "why", label: "pruned because" }],
          step.trees[TREES[tree.name]].map((n) => ({
            id: n.id,
            parent: n.parent < 0 ? null : n.parent,
            text: visible(n.text),
            q: n.draft_p,
            source: n.sources.join(" + "),
            kept: n.kept ? "yes" : "no",
            why: tree.why[n.id] || (n.kept ? "" : n.pruned_by),
          })),
        ),
      ]),
    );
  }

  get figures() {
    return Object.values(this.parts).map((part) => part.figure);
  }
}

const COLUMNS = [
  { key: "id", label: "node", numeric: true },
  { key: "parent", label: "parent", numeric: true },
  { key: "text", label: "token", mono: true },
  { key: "q", label: "draft p", numeric: true },
  { key: "source", label: "source" },
  { key: "kept", label: "sent" },
];

function sourceKey(kind, text) {
  return h("span", { class: `rs-fusion-key is-${kind}`, text });
}

draws("fusion", FusionPanel);
