"""What a page that shows a run costs the engine: ``python -m app.making.page_cost`` (needs Chromium and playwright).

The same run in turn on one server: with a page that draws it, with a client that reads the same packets and draws nothing,
and without either. The seconds are the engine's own, and beside them stands what server and browser took of the processor:
on one machine the browser's share is taken from the engine's cores, whatever the server does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import monotonic
from typing import Any

from gradio_client import Client

from app.examples import examples
from app.making.browser import BEEN_HERE, READY, chromium
from app.making.processor import processor_seconds
from app.making.server import TIMEOUT, serving, until_loaded
from app.making.visitors import Reader
from app.requests import RunAsked

EXAMPLE = "story"
POLLING_MS = 250  # else the page is asked at every frame, which has it draw them
RESTS_MS = 5500  # what the page loads is not the run's, nor is the sign of it, which moves for five seconds
WAYS = ("page", "reader", "nobody")
SERVER, BROWSER = "python", "chrom"  # how the processes' names begin
SAVED = """() => new Promise((done, failed) => {
  const opening = indexedDB.open("respec", 1);
  opening.onerror = () => failed(opening.error);
  opening.onsuccess = () => {
    const all = opening.result.transaction("traces").objectStore("traces").getAll();
    all.onsuccess = () => done(all.result.map((trace) => typeof trace === "string" ? JSON.parse(trace) : trace)
      .map((trace) => [trace.summary.wall_s, trace.steps.length]));
  };
})"""


@dataclass(frozen=True)
class RunCost:
    """One run: the engine's seconds, its rounds, what server and browser took of the processor in seconds."""

    seconds: float
    rounds: int
    server: float
    browser: float


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
        print(told(_in_turn(browser, url, options)))


def _in_turn(browser: Any, url: str, options: argparse.Namespace) -> list[dict[str, RunCost]]:
    """Each turn's run by who looks on. A first turn is not counted."""
    acts: tuple[Callable[[str, argparse.Namespace], RunCost], ...] = (partial(_shown, browser), _read, _alone)
    turns = [{way: act(url, options) for way, act in zip(WAYS, acts, strict=True)} for _ in range(options.turns + 1)]
    return turns[1:]


def _cost(run: Callable[[], tuple[float, int]]) -> RunCost:
    before = processor_seconds()
    seconds, rounds = run()
    spent = {name: s - before.get(name, 0.0) for name, s in processor_seconds().items()}
    server, browser = (sum(s for name, s in spent.items() if name.startswith(kind)) for kind in (SERVER, BROWSER))
    return RunCost(seconds, rounds, server, browser)


def _shown(browser: Any, url: str, options: argparse.Namespace) -> RunCost:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.set_default_timeout(1000 * TIMEOUT)
    page.add_init_script(BEEN_HERE)
    page.goto(
        f"{url}/?method={options.method}&example={EXAMPLE}&ignore_eos=true&max_new_tokens={options.tokens}&play=0"
    )
    page.wait_for_function(f"{READY} && document.querySelector('.rs-live')")
    page.wait_for_timeout(RESTS_MS)

    def run() -> tuple[float, int]:
        page.click("#rs-run")
        end = monotonic() + TIMEOUT
        # saved is a run when it is over, and the shelf of a new visitor is empty
        while not (kept := page.evaluate(SAVED)):
            if monotonic() > end:
                raise TimeoutError(f"The page's run was not over within {TIMEOUT} s.")
            page.wait_for_timeout(POLLING_MS)
        seconds, rounds = kept[-1]
        return float(seconds), int(rounds)

    cost = _cost(run)
    page.context.close()
    return cost


def _read(url: str, options: argparse.Namespace) -> RunCost:
    reader = Reader(url)
    asked: RunAsked = {
        "stream": "cost",
        "prompt": _prompt(),
        "method": options.method,
        "settings": {"ignore_eos": True, "max_new_tokens": options.tokens},
        "plain": False,
    }

    def run() -> tuple[float, int]:
        *_, last = reader.runs(asked)
        end: Any = last["messages"][-1]
        return float(end["run"]["summary"]["wall_s"]), int(end["rounds"])

    cost = _cost(run)
    reader.close()
    return cost


def _alone(url: str, options: argparse.Namespace) -> RunCost:
    client = Client(url, verbose=False)

    def run() -> tuple[float, int]:
        settings = '{"ignore_eos": true}'
        trace = client.predict(
            _prompt(), options.method, settings, options.tokens, 0, "auto", api_name="/generate_trace"
        )
        return float(trace["summary"]["wall_s"]), len(trace["steps"])

    return _cost(run)


def _prompt() -> str:
    return next(example.prompt for example in examples() if example.id == EXAMPLE)


def told(turns: Sequence[dict[str, RunCost]]) -> str:
    """A line for each who looks on, medians with the spread over turns."""
    nobody = [turn["nobody"] for turn in turns]
    rounds = nobody[0].rounds
    rate = rounds / median(cost.seconds for cost in nobody)
    lines = [f"{rounds} rounds, {rate:.0f} a second with nobody looking, n = {len(turns)}"]
    for way in WAYS[:-1]:
        costs = [turn[way] for turn in turns]
        ratios = sorted(cost.seconds / alone.seconds for cost, alone in zip(costs, nobody, strict=True))
        server = median(cost.server - alone.server for cost, alone in zip(costs, nobody, strict=True))
        browser = median(cost.browser for cost in costs)
        lines.append(
            f"{way}: {100 * (median(ratios) - 1):+.1f} % of time by it ({100 * (ratios[0] - 1):+.1f} to "
            f"{100 * (ratios[-1] - 1):+.1f}); processor, milliseconds a round: server {1e3 * server / rounds:+.2f}, "
            f"browser {1e3 * browser / rounds:.2f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
