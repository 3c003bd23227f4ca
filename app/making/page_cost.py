"""What a page that shows a run costs the engine: ``python -m app.making.page_cost`` (needs Chromium and playwright).

The same run with a page that draws it and without any, in turn, on one server; the seconds are the engine's own. On one
machine the browser takes processor time too: where that is more than is left over, this says more of it than of the server.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

from gradio_client import Client

from app.examples import examples
from app.making.browser import BEEN_HERE, IDLE, READY, RUNNING, chromium
from app.making.server import TIMEOUT, serving, until_loaded

EXAMPLE = "story"
SAVED = """() => new Promise((done, failed) => {
  const opening = indexedDB.open("respec", 1);
  opening.onerror = () => failed(opening.error);
  opening.onsuccess = () => {
    const all = opening.result.transaction("traces").objectStore("traces").getAll();
    all.onsuccess = () => done(all.result.map((trace) => typeof trace === "string" ? JSON.parse(trace) : trace)
      .map((trace) => [trace.summary.wall_s, trace.steps.length, trace.output_ids.length]));
  };
})"""


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="app.making.page_cost", description=__doc__)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--method", default="pld")
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args(arguments)
    with serving("app.py", "--model", options.model, "--port") as url, chromium() as browser:
        until_loaded(url)
        print(told(*_in_turn(browser, url, options)))


def _in_turn(browser: Any, url: str, options: argparse.Namespace) -> tuple[list[float], list[float], int]:
    """Seconds with a page, seconds without, rounds of a run. A first of each is not counted."""
    prompt = next(example.prompt for example in examples() if example.id == EXAMPLE)
    shown, alone, rounds = [], [], 0
    for _ in range(options.turns + 1):
        seconds, rounds = _with_a_page(browser, url, options)
        shown.append(seconds)
        client = Client(url, verbose=False)
        settings = '{"ignore_eos": true}'
        trace = client.predict(prompt, options.method, settings, options.tokens, 0, "auto", api_name="/generate_trace")
        alone.append(trace["summary"]["wall_s"])
    return shown[1:], alone[1:], rounds


def _with_a_page(browser: Any, url: str, options: argparse.Namespace) -> tuple[float, int]:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.set_default_timeout(1000 * TIMEOUT)
    page.add_init_script(BEEN_HERE)
    page.goto(
        f"{url}/?method={options.method}&example={EXAMPLE}&ignore_eos=true&max_new_tokens={options.tokens}&play=0"
    )
    page.wait_for_function(f"{READY} && document.querySelector('.rs-live')")
    page.click("#rs-run")
    page.wait_for_function(RUNNING)
    page.wait_for_function(IDLE)
    while not (kept := page.evaluate(SAVED)):
        page.wait_for_timeout(100)
    page.context.close()
    seconds, rounds, _ = kept[-1]
    return float(seconds), int(rounds)


def told(shown: Sequence[float], alone: Sequence[float], rounds: int) -> str:
    """In a sentence, with the spread over turns."""
    ratios = sorted(a / b for a, b in zip(shown, alone, strict=True))
    rate = rounds / median(shown)
    return (
        f"{rounds} rounds, {rate:.0f} a second with a page: {100 * (median(ratios) - 1):+.1f} % of time by it "
        f"({100 * (ratios[0] - 1):+.1f} to {100 * (ratios[-1] - 1):+.1f}, n = {len(ratios)})"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
