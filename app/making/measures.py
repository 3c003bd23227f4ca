"""How the page feels, in numbers: ``python -m app.making.measures`` (needs Chromium and the playwright package).

The app is started as a visitor would start it, and asked while its model still loads: layout shift (Web Vitals: 0.1 is
good), tasks of 50 ms and more, time to the first token on screen; then the same in a live run, and the heap after each
of many. One line a figure.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.making.browser import chromium, free_port

ROOT = Path(__file__).parents[2]
LIVE = "method=eagle2&budget_rule=own&total_tokens=60&ignore_eos=true&max_new_tokens={tokens}&play=0&example=story"
SHORT = "method=pld&ignore_eos=true&max_new_tokens=32&play=0&example=story"
WATCH = """
window.seen = { shift: 0, moved: [], tasks: [], useful: null };
new PerformanceObserver((list) => {
  for (const e of list.getEntries()) if (!e.hadRecentInput) {
    seen.shift += e.value;
    seen.moved.push([e.value, (e.sources || []).map((s) => s.node?.className || s.node?.nodeName).slice(0, 3)]);
  }
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((e) => e.duration)))
  .observe({ type: "longtask", buffered: true });
new MutationObserver((_, me) => {
  if (document.querySelector(".rs-token")) { seen.useful = performance.now(); me.disconnect(); }
}).observe(document, { childList: true, subtree: true });
"""
BEEN_HERE = "localStorage.setItem('respec:visited', true)"  # who is new is led to Learn
FORGET = "Object.assign(seen, { shift: 0, moved: [], tasks: [] })"
IDLE = "document.querySelector('.rs-live').dataset.state === 'idle'"
RUNNING = "document.querySelector('.rs-live').dataset.state === 'running'"
READY = "document.querySelector('#rs-run')?.disabled === false"


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="app.making.measures", description=__doc__)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--tokens", type=int, default=512, help="of the live run")
    parser.add_argument("--seconds", type=int, default=150, help="after which it is stopped")
    parser.add_argument("--runs", type=int, default=20, help="of the heap")
    options = parser.parse_args(arguments)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([sys.executable, "app.py", "--model", options.model, "--port", str(port)], cwd=ROOT)
    try:
        _answering(url)
        with chromium() as browser:
            _loading(_visit(browser), url)
            _live(_visit(browser), url, options.tokens, options.seconds)
            _heap(_visit(browser), url, options.runs)
    finally:
        server.terminate()
        server.wait()


def _answering(url: str) -> None:
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).read()
            return
        except OSError:
            time.sleep(0.1)


def _visit(browser: Any) -> Any:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.set_default_timeout(300_000)
    page.add_init_script(WATCH)
    page.add_init_script(BEEN_HERE)
    page.on("console", lambda m: print(f"CONSOLE {m.type}: {m.text}") if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: print(f"PAGE ERROR: {error}"))
    page.on(
        "request", lambda r: None if r.url.startswith(("http://127", "data:", "blob:")) else print("OUTSIDE", r.url)
    )
    return page


def _loading(page: Any, url: str) -> None:
    page.goto(f"{url}/?play=0")
    page.wait_for_selector(".rs-token")
    page.wait_for_timeout(4000)
    seen = page.evaluate("seen")
    print(f"loading, model cold: first token after {seen['useful']:.0f} ms")
    _tell("loading", seen, None)
    page.context.close()


def _live(page: Any, url: str, tokens: int, seconds: int) -> None:
    page.goto(f"{url}/?{LIVE.format(tokens=tokens)}")
    page.wait_for_function(f"{READY} && document.querySelector('.rs-live')")
    page.wait_for_timeout(1500)
    page.evaluate(FORGET)
    page.click("#rs-run")
    page.wait_for_function(RUNNING)
    start = time.monotonic()
    page.wait_for_function(f"{IDLE} || performance.now() > {page.evaluate('performance.now()') + 1000 * seconds}")
    seen, took = page.evaluate("seen"), time.monotonic() - start
    print(f"live: {page.locator('.rs-token').count()} tokens, {page.inner_text('.rs-round-label')}")
    _tell("live", seen, took)
    if page.is_enabled("#rs-stop"):
        page.click("#rs-stop")
        page.wait_for_function(IDLE)
    page.context.close()


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


def _tell(what: str, seen: dict[str, Any], seconds: float | None) -> None:
    tasks = sorted(seen["tasks"], reverse=True)
    share = "" if seconds is None else f", {sum(tasks) / 10 / seconds:.1f} % of {seconds:.1f} s"
    print(
        f"{what}: layout shift {seen['shift']:.3f}; {len(tasks)} long tasks, longest {max(tasks, default=0):.0f} ms{share}"
    )
    print(f"  longest {[round(task) for task in tasks[:8]]}")
    for value, sources in sorted(seen["moved"], reverse=True)[:5]:
        print(f"  moved {value:.3f}: {', '.join(map(str, sources))}")


if __name__ == "__main__":
    main(sys.argv[1:])
