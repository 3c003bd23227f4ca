// The page's head: name, what the model is doing, theme and help.

import { fill, h, icon } from "./dom.js";

export function mount(host) {
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
    on: { click: () => document.dispatchEvent(new Event("respec:help")) },
  });
  fill(
    host.element.querySelector(".rs"),
    h(
      "div",
      { class: "rs-header" },
      h("span", { class: "rs-brand" }, h("span", { class: "rs-mark", "aria-hidden": "true" }), "ReSpec Studio"),
      h("span", { class: "rs-tagline", text: "see, teach and tune speculative decoding" }),
      h("span", { class: "rs-model" }, dot, status),
      theme,
      help,
    ),
  );
  const take = () => {
    if (!host.props.value) return;
    const value = JSON.parse(host.props.value);
    status.textContent = value.state === "ready" ? `${value.model} ready · ${value.text}` : value.text;
    status.dataset.state = value.state;
    dot.dataset.state = value.state;
    window.respecStatus = value;
    document.dispatchEvent(new CustomEvent("respec:status", { detail: value }));
  };
  host.watch("value", take);
  take();
}
