// How panels are drawn: by the module that one names, which says so here; all others by the general component.

import { GeneralPanel } from "./general_panel.js";

const drawings = new Map();

export function draws(id, Drawing) {
  drawings.set(id, Drawing);
}

export const drawingOf = ({ id }) => drawings.get(id) || GeneralPanel;

// A saved page carries the modules inline: there is nothing to load.
export async function loadDrawings(panels) {
  const wanted = panels.filter(({ id, module }) => module && !drawings.has(id)).map(({ module }) => module);
  await Promise.all([...new Set(wanted)].map((module) => import(`./${module}.js`)));
}
