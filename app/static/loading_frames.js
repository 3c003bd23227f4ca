// Gradio's sign that a page loads goes on asking for the next frame when it is long gone, sixty times a second, which keeps a
// processor busy. Whoever takes the browser's function while the page loads, as that sign does, is answered once a second then.
{
  const frame = window.requestAnimationFrame.bind(window);
  let there = false;
  window.requestAnimationFrame = (act) => (there ? window.setTimeout(() => act(performance.now()), 1000) : frame(act));
  document.addEventListener(
    "rs:there",
    () => {
      there = true;
      window.requestAnimationFrame = frame;
    },
    { once: true },
  );
}
