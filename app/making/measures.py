"""How the page feels, in numbers: ``python -m app.making.measures`` (needs Chromium and the playwright package).

The app is started as a visitor would start it, and asked while its model still loads: time to the first token on screen,
beside an empty page of Gradio's in the same minute; layout shift (Web Vitals: 0.1 is good), tasks of 50 ms and more; then
the same in a live run, the first drawing of every lesson, and the heap after each of many runs. One line a figure, about three
minutes in all.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

from app.learn.library import Library
from app.making.browser import BEEN_HERE, IDLE, READY, RUNNING, chromium
from app.making.server import serving
from app.making.tasks import CATEGORIES, LONG_MS, tasks_in

LIVE = "method=eagle2&budget_rule=own&total_tokens=60&ignore_eos=true&max_new_tokens={tokens}&play=0&example=story"
EMPTY = """
import sys, gradio
with gradio.Blocks() as page: pass
page.launch(server_name="127.0.0.1", server_port=int(sys.argv[1]), quiet=True, ssr_mode=False)
"""
SHORT = "method=pld&ignore_eos=true&max_new_tokens=32&play=0&example=story"
WATCH = """
window.seen = { shift: 0, moved: [], tasks: [] };
new PerformanceObserver((list) => {
  for (const e of list.getEntries()) if (!e.hadRecentInput) {
    seen.shift += e.value;
    seen.moved.push([e.value, (e.sources || []).map((s) => s.node?.className || s.node?.nodeName).slice(0, 3)]);
  }
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((e) => e.duration)))
  .observe({ type: "longtask", buffered: true });
const signs = { gradio: ".gradio-container", read: ".rs-first-token", token: ".rs-token", drawing: "DRAWING" };
for (const [name, selector] of Object.entries(signs))
  new MutationObserver((_, me) => {
    if (!document.querySelector(selector)) return;
    me.disconnect();
    requestAnimationFrame(() => setTimeout(() => (seen[name] = performance.now()))); // once it is painted
  }).observe(document, { childList: true, subtree: true });
"""
DRAWING = ".rs-step-body :is(.rs-tree, .rs-mask, .rs-sam, .main-svg, .rs-learn-rule)"  # a lesson's first
TURN = """
(name) => new Promise((done) => {
  const began = performance.now(), link = `[data-lesson=${name}]`;
  new MutationObserver((_, me) => {
    if (!document.querySelector(`${link}[aria-current]`) || !document.querySelector("DRAWING")) return;
    me.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  }).observe(document, { childList: true, subtree: true });
  document.querySelector(link).click();
})
"""
FORGET = "Object.assign(seen, { shift: 0, moved: [], tasks: [] })"


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="app.making.measures", description=__doc__)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--tokens", type=int, default=512, help="of the live run")
    parser.add_argument("--seconds", type=int, default=110, help="after which it is stopped")
    parser.add_argument("--runs", type=int, default=20, help="of the heap")
    options = parser.parse_args(arguments)
    with chromium() as browser:
        with serving("-c", EMPTY) as url:
            empty = _empty(_visit(browser), url)
        with serving("app.py", "--model", options.model, "--port") as url:
            _loading(_visit(browser), url, "cold", empty)
            _live(browser, url, options.tokens, options.seconds)
            _loading(_visit(browser), url, "loaded", empty)
            _lessons(browser, url)
            _heap(_visit(browser), url, options.runs)


def _visit(browser: Any) -> Any:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.set_default_timeout(300_000)
    page.add_init_script(WATCH.replace("DRAWING", DRAWING))
    page.add_init_script(BEEN_HERE)
    page.on("console", lambda m: print(f"CONSOLE {m.type}: {m.text}") if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: print(f"PAGE ERROR: {error}"))
    page.on(
        "request", lambda r: None if r.url.startswith(("http://127", "data:", "blob:")) else print("OUTSIDE", r.url)
    )
    return page


def _empty(page: Any, url: str) -> float:
    """Milliseconds until a page of Gradio's without anything on it is there."""
    page.goto(url)
    page.wait_for_function("seen.gradio")
    took: float = page.evaluate("seen.gradio")
    print(f"an empty page of Gradio's: there after {took:.0f} ms")
    page.context.close()
    return took


def _loading(page: Any, url: str, model: str, empty: float) -> None:
    page.goto(f"{url}/?play=0")
    page.wait_for_function("seen.token")
    page.wait_for_timeout(4000)
    seen = page.evaluate("seen")
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    first = seen.get("read", seen["token"])
    print(f"loading, model {model}: text to read after {first:.0f} ms, {first / empty:.2f} of an empty page", end="")
    print(f"; first paint after {painted:.0f} ms, Gradio's frame {seen['gradio']:.0f}, the page {seen['token']:.0f}")
    _tell(f"loading, model {model}", seen)
    page.context.close()


def _live(browser: Any, url: str, tokens: int, seconds: int) -> None:
    page = _visit(browser)
    page.goto(f"{url}/?{LIVE.format(tokens=tokens)}")
    page.wait_for_function(f"{READY} && document.querySelector('.rs-live')")
    page.wait_for_timeout(1500)
    page.evaluate(FORGET)
    browser.start_tracing(page=page, categories=[*CATEGORIES])
    page.click("#rs-run")
    page.wait_for_function(RUNNING)
    start = time.monotonic()
    page.wait_for_function(f"{IDLE} || performance.now() > {page.evaluate('performance.now()') + 1000 * seconds}")
    if page.is_enabled("#rs-stop"):
        page.click("#rs-stop")
        page.wait_for_function(IDLE)
    page.wait_for_timeout(500)  # the end of a run is drawn too
    took, trace = time.monotonic() - start, browser.stop_tracing()
    print(f"live: {page.locator('.rs-token').count()} tokens, {page.inner_text('.rs-round-label')}, {took:.1f} s")
    _tell("live", page.evaluate("seen"))
    every = tasks_in(trace)
    tasks = [task for task in every if task.wall_ms >= LONG_MS]
    wall, cpu = sum(task.wall_ms for task in tasks), sum(task.cpu_ms for task in tasks)
    print(f"live: tasks of {LONG_MS:.0f} ms and more take {wall / took / 10:.1f} % of the time", end="")
    print(f" ({cpu / took / 10:.1f} % on the processor's clock)")
    hardest = max(every, key=lambda task: task.cpu_ms)
    print(f"live: the longest on the processor's clock takes {hardest.cpu_ms:.0f} ms; the longest on the wall's")
    for task in tasks[:6]:
        print(f"  {task}")
    page.context.close()


def _lessons(browser: Any, url: str) -> None:
    """Milliseconds to the first drawing of each: of a page that is opened there, and from the lesson before."""
    names = [line["name"] for line in Library().lines()]
    opened = dict[str, float]()
    for name in names:
        page = _visit(browser)
        page.goto(f"{url}/learn?lesson={name}")
        page.wait_for_function("seen.drawing")
        opened[name] = page.evaluate("seen.drawing")
        if name != names[-1]:
            page.context.close()
    turned = {name: page.evaluate(TURN.replace("DRAWING", DRAWING), name) for name in names[:-1]}
    page.context.close()
    for what, took in (("a page opened at a lesson", opened), ("from one lesson to another", turned)):
        longest = max(took, key=lambda name: took[name])
        print(f"{what}: first drawing after {median(took.values()):.0f} ms, {took[longest]:.0f} at most ({longest})")


def _heap(page: Any, url: str, runs: int) -> None:
    page.goto(f"{url}/?{SHORT}")
    page.wait_for_function(f"{READY} && document.querySelector('.rs-live')")
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")
    for run in range(runs):
        page.click("#rs-run")
        page.wait_for_function(RUNNING)
        page.wait_for_function(IDLE)
        devtools.send("HeapProfiler.collectGarbage")
        metrics = {m["name"]: m["value"] for m in devtools.send("Performance.getMetrics")["metrics"]}
        used = metrics["JSHeapUsedSize"] / 2**20
        if run in (0, 1, 4, 9, runs - 1):
            print(f"heap after run {run + 1}: {used:.1f} MB, {metrics['Nodes']:.0f} nodes")
    page.context.close()


def _tell(what: str, seen: dict[str, Any]) -> None:
    tasks = sorted(seen["tasks"], reverse=True)
    print(
        f"{what}: layout shift {seen['shift']:.3f}; {len(tasks)} long tasks, ms {[round(task) for task in tasks[:6]]}"
    )
    for value, sources in sorted(seen["moved"], reverse=True)[:5]:
        print(f"  moved {value:.3f}: {', '.join(map(str, sources))}")


if __name__ == "__main__":
    main(sys.argv[1:])
