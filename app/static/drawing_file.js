// A drawing of ours as a file, with the colours that it has on the page.

import { download, save } from "./dom.js";

/** @typedef {"svg" | "png"} ImageKind */

const COPIED = ["fill", "fill-rule", "stroke", "stroke-width", "stroke-dasharray", "font", "text-anchor"];
const SHARP = 2; // pixels of a PNG to one of the page

/**
 * @param {SVGSVGElement} drawn
 * @param {string} name
 * @param {ImageKind} format
 */
export async function saveDrawing(drawn, name, format) {
  const copy = /** @type {SVGSVGElement} */ (drawn.cloneNode(true));
  const there = [...drawn.querySelectorAll("*")];
  copy.querySelectorAll("*").forEach((element, i) => {
    const style = getComputedStyle(there[i]);
    for (const property of COPIED)
      /** @type {SVGElement} */ (element).style.setProperty(property, style.getPropertyValue(property));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const text = new XMLSerializer().serializeToString(copy);
  if (format === "svg") download(`${name}.svg`, text, "image/svg+xml");
  else save(`${name}.png`, await pixels(text, drawn));
}

/**
 * @param {string} text of the drawing
 * @param {SVGSVGElement} drawn on the page, which says how large and on what
 * @returns {Promise<string>} an address of its picture
 */
async function pixels(text, drawn) {
  const { width, height } = drawn.getBoundingClientRect();
  const picture = new Image(width, height);
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.ceil(width * SHARP), height: Math.ceil(height * SHARP) });
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser draws no pictures");
  pen.fillStyle = getComputedStyle(document.body).getPropertyValue("--rs-surface") || "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}
