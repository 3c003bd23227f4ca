// How panels are drawn: by the module that one names, which says so here; all others by the general component.

import { GeneralPanel } from "./general_panel.js";

const drawings = new Map();

export function draws(id, Drawing) {
  drawings.set(id, Drawing);
}

export const drawingOf = ({ id }) => drawings.get(id) || GeneralPanel;

// `load` imports a module by its name: from the server, or from what a saved page carries.
export async function loadDrawings(panels, load) {
  const wanted = panels.filter(({ id, module }) => module && !drawings.has(id)).map(({ module }) => module);
  await Promise.all([...new Set(wanted)].map(load));
}
