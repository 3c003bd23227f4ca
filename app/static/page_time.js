// What drawing takes of the page's own time: the scripts' part, and the frame that follows, with its styles and layout.

let spent = 0;

/** Milliseconds since the page began. */
export const drawingTime = () => spent;

/** @param {() => void | Promise<void>} drawing whose time counts */
export async function counted(drawing) {
  const begun = performance.now();
  try {
    await drawing();
  } finally {
    spent += performance.now() - begun;
  }
}

/** Before what is drawn: the frame that will show it counts too, from its first script on. */
export function countFrame() {
  requestAnimationFrame(() => {
    const begun = performance.now();
    const { port1, port2 } = new MessageChannel(); // what a frame sends is read when it is laid out and painted
    port1.onmessage = () => {
      spent += performance.now() - begun;
      port1.close();
    };
    port2.postMessage(null);
  });
}
