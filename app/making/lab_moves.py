"""How fast the Lab follows the hand: ``python -m app.making.lab_moves`` (needs Chromium and the playwright package).

The app is started as a visitor would start it, and its Lab opened at once: time to the verdict and to the whole curve on
screen, while the model still loads. Then the slider goes from end to end, twice: from each move to the mark in the curve, and
to the verdict, both painted. The second time every value was looked at before. Best with nothing else running.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

from app.making.browser import BEEN_HERE, chromium
from app.making.server import serving, until_loaded

SETTLED_MS = 5000  # the picture is drawn, the losses are counted
MOVING_MS = 150  # between moves of a hand that does not rest: picture and losses wait until it does
SIGNS = """
window.seen = {};
const painted = (name) => requestAnimationFrame(() => setTimeout(() => (seen[name] ??= performance.now())));
new MutationObserver(() => {
  if (document.querySelector(".rs-lab-facts dd")) painted("verdict");
  const said = document.querySelector(".rs-panel-lab-curve .rs-method-line")?.textContent;
  if (said && !said.includes("Still") && document.querySelector(".rs-panel-lab-curve .main-svg")) painted("curve");
}).observe(document, { childList: true, subtree: true, characterData: true });
"""
MARK = "document.querySelector('.rs-panel-lab-curve .js-plotly-plot').layout.shapes.at(-1).x0"
MOVE = f"""
(at) => new Promise((done) => {{
  const range = document.querySelector("#rs-lab-value"), took = {{}}, before = {MARK};
  const told = new MutationObserver(() => {{
    told.disconnect();
    requestAnimationFrame(() => setTimeout(() => {{ took.verdict = performance.now() - began; }}));
  }});
  told.observe(document.querySelector(".rs-lab-facts"), {{ childList: true }});
  const began = performance.now();
  const look = () => {{
    if ({MARK} !== before) took.mark ??= performance.now() - began;
    if (took.mark && took.verdict) return done(took);
    setTimeout(look);
  }};
  range.value = at;
  range.dispatchEvent(new Event("input"));
  look();
}})
"""


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="app.making.lab_moves", description=__doc__)
    parser.add_argument("--model", default="smollm2-135m")
    options = parser.parse_args(arguments)
    with chromium() as browser, serving("app.py", "--model", options.model, "--port") as url:
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        page.set_default_timeout(300_000)
        page.add_init_script(SIGNS + BEEN_HERE)
        page.goto(f"{url}/lab")
        page.wait_for_function("seen.verdict && seen.curve")
        seen = page.evaluate("seen")
        print(f"opened cold: verdict after {seen['verdict']:.0f} ms, the whole curve after {seen['curve']:.0f} ms")
        until_loaded(url)
        page.wait_for_timeout(SETTLED_MS)
        _moves(page, "values not looked at before")
        _moves(page, "the same again")


def _moves(page: Any, what: str) -> None:
    """From end to end, one value after another."""
    last = int(page.get_attribute("#rs-lab-value", "max"))
    here = int(page.input_value("#rs-lab-value"))
    took = []
    for at in [*range(here - 1, -1, -1), *range(here + 1, last + 1)]:
        took.append(page.evaluate(MOVE, at))
        page.wait_for_timeout(MOVING_MS)
    for name in ("mark", "verdict"):
        ms = sorted(one[name] for one in took)
        print(f"{what}: {name} after {median(ms):.0f} ms, {ms[-1]:.0f} at most, {len(ms)} moves")


if __name__ == "__main__":
    main(sys.argv[1:])
