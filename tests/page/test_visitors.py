"""Many visitors: lessons and recorded runs answer while the engine is taken; limits, health, replicas, and the end of the server."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from app.build import build, launch_options
from app.command import parse
from app.learn.library import Library
from app.loading import Loader
from app.making.browser import free_port
from app.making.visitors import Reader
from app.requests import build_request
from app.runs import run_rounds
from app.serving.limits import Limits
from app.serving.line import Line
from app.serving.runners import Here
from app.showcases import showcases
from respec_core.errors import ReSpecError
from respec_core.methods.traces import parse_trace, violations

ROOT = Path(__file__).parents[2]
PROMPT = "one two one two one two"
SETTINGS = '{"ignore_eos": true}'
READERS, MODELS = 25, 5


def until(seen: Callable[[], Any]) -> None:
    """Wait; pytest ends what never comes."""
    while not seen():
        time.sleep(0.02)


def test_a_reader_gets_a_runs_packets_in_order(server: str) -> None:
    reader = Reader(server)
    asked = {"stream": "r", "prompt": PROMPT, "method": "pld", "plain": False}
    packets = [*reader.runs({**asked, "settings": {"ignore_eos": True, "max_new_tokens": 200}})]  # type: ignore[typeddict-item]
    reader.close()
    assert [packet["seq"] for packet in packets] == list(range(len(packets)))
    said = [message for packet in packets for message in packet["messages"]]
    assert (said[0]["kind"], said[-1]["kind"]) == ("start", "end")
    assert sum(message["kind"] == "round" for message in said) == said[-1]["rounds"]


def test_25_read_lessons_and_recorded_runs_at_once_while_5_wait_for_the_engine(
    serve: Callable[..., str], held_loader: Any
) -> None:
    line = Line([Here(held_loader)], Limits(queued=MODELS, tokens=200))
    server = serve(held_loader, line=line)
    clients = [Client(server, verbose=False) for _ in range(MODELS)]
    client, reader, together = clients[0], Reader(server), Barrier(READERS, timeout=120)
    held_loader.going.clear()
    try:
        jobs = [one.submit(PROMPT, "pld", SETTINGS, 8, i, api_name="/stream_trace") for i, one in enumerate(clients)]
        until(lambda: (line.running, line.waiting) == (1, MODELS - 1))
        with ThreadPoolExecutor(READERS) as pool:
            answered = [*pool.map(partial(reads, server, together), range(READERS))]
        assert answered == [True] * READERS and not any(job.done() for job in jobs)
        assert "cost" in reader.opens("rs-learn")
        said = reader.health()
        assert (said["ready"], said["queue"], said["running"]) == (True, MODELS - 1, 1)
        trace = showcases()["story-pld"].path.read_text()
        assert client.predict(trace, api_name="/check_trace")["sound"]
        with pytest.raises(AppError, match="up to 200 tokens"):
            client.predict(PROMPT, "pld", "{}", 300, api_name="/generate_trace")
        late = [client.submit(PROMPT, "pld", SETTINGS, 8, 0, api_name="/stream_trace") for _ in range(2)]
        until(lambda: any(job.done() for job in late))
        refused = [job for job in late if job.done()]
        assert "too many are waiting" in str(refused[0].exception()) and len(refused) == 1
        assert (line.running, line.waiting) == (1, MODELS), "nobody of all these waited for the engine"
    finally:
        held_loader.going.set()
    assert len({job.outputs()[-1]["trace"]["output_text"] for job in [*jobs] if job.result()}) == 1


def reads(server: str, together: Barrier, number: int) -> bool:
    """Whether a visitor who comes with the others gets a lesson and a recorded run."""
    reader, lessons, runs = Reader(server), Library().lines(), list(showcases())
    together.wait()
    lesson = reader.lesson(lessons[number % len(lessons)]["name"])
    run = runs[number % len(runs)]
    shown = reader.opens("rs-live", f"trace={run}")
    reader.close()
    return bool(lesson["lesson"]["steps"]) and not lesson["error"] and run in shown


@pytest.mark.browser
def test_a_run_whose_server_is_gone_is_named_kept_and_made_again(slow_loader: Loader, new_page: Any) -> None:
    """The server ends, and comes back on its port."""
    page, other, port = new_page(), new_page(), free_port()
    first = launched(slow_loader, port)
    other.goto(f"http://127.0.0.1:{port}/compare?prompt=x&a=vanilla&a.ignore_eos=true&a.max_new_tokens=2048&b=pld")
    other.wait_for_function("document.querySelector('#rs-compare-run')?.disabled === false")
    other.click("#rs-compare-run")
    other.wait_for_function("document.querySelector('.rs-compare .rs-notice').textContent.startsWith('1 of 2')")
    page.goto(f"http://127.0.0.1:{port}/?play=0&method=vanilla&ignore_eos=true&max_new_tokens=2048&prompt=x")
    page.wait_for_function("document.querySelector('#rs-run')?.disabled === false")
    page.click("#rs-run")
    page.wait_for_function("document.querySelectorAll('.rs-token').length > 3")
    first.close(verbose=False)
    page.wait_for_function("document.querySelector('.rs-notice').textContent.includes('lost after round')")
    assert page.locator(".rs-token").count() > 3 and page.get_by_role("button", name="Save trace").is_enabled()
    lost = "document.querySelector('.rs-compare .rs-notice').textContent"
    other.wait_for_function(f"/lost after round \\d+ of run 1/.test({lost})")
    assert other.locator(".rs-race .rs-lane-line").count() == 1  # as far as it came
    other.get_by_role("button", name="Run again").click()
    other.wait_for_function(f"{lost}.includes('the run was not started')")
    other.close()
    page.wait_for_function("location.search.includes('run=')")  # it is on the shelf, and the address names it
    second = launched(slow_loader, port)
    page.reload()  # as Gradio does by itself where it has noticed that the server is back
    page.wait_for_function("document.querySelector('.rs-notice')?.textContent.includes('lost after round')")
    assert page.locator(".rs-token").count() > 3
    page.wait_for_function("document.querySelector('#rs-run')?.disabled === false")
    page.get_by_role("button", name="Run again").click()
    page.wait_for_function("document.querySelector('.rs-live').dataset.state === 'running'")
    page.click("#rs-stop")
    page.wait_for_function("document.querySelector('.rs-live').dataset.state === 'idle'")
    assert page.locator(".rs-token").count() > 0 and not page.get_by_role("button", name="Run again").is_visible()
    second.close(verbose=False)


def launched(loader: Loader, port: int) -> Any:
    """The app of this process, which can be closed."""
    line = Line([Here(loader), Here(loader)])
    demo = build(loader, line)
    options = launch_options(loader, line)
    demo.launch(server_name="127.0.0.1", server_port=port, prevent_thread_lock=True, **options)
    return demo


def test_two_runs_on_one_model_write_what_each_writes_alone(tiny_loader: Loader) -> None:
    """With ``--runs-at-once 2`` the models are shared, and nothing else is."""
    jobs = [partial(run_rounds, build_request(PROMPT, m, {"max_new_tokens": 24})) for m in ("pld", "sam")]
    runner = Here(tiny_loader)
    alone = [list(runner.run(job, lambda: False))[-1]["trace"]["output_ids"] for job in jobs]
    both, last = [runner.run(job, lambda: False) for job in jobs], [{}, {}]
    for parts in zip_longest(*both):
        last = [part or before for part, before in zip(parts, last, strict=True)]
    assert [part["trace"]["output_ids"] for part in last] == alone


def test_a_card_is_borrowed_call_by_call_where_one_is_lent(
    monkeypatch: pytest.MonkeyPatch, tiny_loader: Loader
) -> None:
    """With a stand-in for the decorator of Spaces; where it changes nothing, nothing is changed."""
    lent: list[int] = []

    def gpu(run: Any, duration: int) -> Any:
        def borrowed(job: Any) -> Any:
            lent.append(duration)
            yield from run(pickle.loads(pickle.dumps(job)))

        return borrowed

    settings = {"max_new_tokens": 12, "ignore_eos": True, "budget_rule": "own"}
    job = partial(run_rounds, build_request(PROMPT, "pld", settings))
    usual = list(Here(tiny_loader).run(job, lambda: False))
    for decorator, times in ((gpu, 1), (lambda run, duration: run, 0)):
        monkeypatch.setitem(sys.modules, "spaces", SimpleNamespace(GPU=decorator))
        lent.clear()
        found = list(Here(tiny_loader).run(job, lambda: False))
        assert len(lent) == times and [part["kind"] for part in found] == [part["kind"] for part in usual]
    monkeypatch.setitem(sys.modules, "spaces", SimpleNamespace(GPU=gpu))
    with pytest.raises(ReSpecError, match="Stopped"):
        list(Here(tiny_loader).run(job, lambda: True))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--replicas", "0"], "from 1 to 64"),
        (["--max-tokens", "x"], "whole number"),
        (["--max-queued", "-1"], "from 0"),
    ],
)
def test_a_limit_that_is_none_is_refused(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(arguments)
    assert caught.value.code == 2 and says in capsys.readouterr().err


def test_two_replicas_work_at_once_and_hand_out_what_they_have_when_the_server_is_stopped(tiny_folder: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    flags = ["--model", str(tiny_folder), "--replicas", "2", "--grace", "0", "--port", str(port)]
    with served(flags) as server:
        until(lambda: health(url).get("replicas") == {"all": 2, "ready": 2} or server.poll() is not None)
        clients = [Client(url, verbose=False) for _ in range(3)]
        jobs = [client.submit(PROMPT, "vanilla", SETTINGS, 2048, 0, api_name="/stream_trace") for client in clients]
        until(lambda: (now := health(url))["running"] == 2 and now["queue"] == 1)
        until(lambda: sum(bool(job.outputs()) for job in jobs) == 2)
        server.send_signal(signal.SIGTERM)
        ends = [job.exception() or parse_trace(job.outputs()[-1]["trace"]) for job in jobs]
        runs = [run for run in ends if not isinstance(run, BaseException)]
        assert [run.finish_reason for run in runs] == ["cancelled"] * 2, ends
        assert all(not violations(run) and 0 < len(run.output_ids) < 2048 for run in runs)
        assert "stopping" in str(next(end for end in ends if isinstance(end, BaseException)))
        assert server.wait() == 0


def test_a_server_that_is_stopped_lets_a_run_finish_in_its_grace_time(tiny_folder: Path) -> None:
    port, tokens = free_port(), 2048
    with served(["--model", str(tiny_folder), "--grace", "300", "--port", str(port)]) as server:
        url = f"http://127.0.0.1:{port}"
        until(lambda: health(url).get("ready") or server.poll() is not None)
        client = Client(url, verbose=False)
        job = client.submit(PROMPT, "vanilla", SETTINGS, tokens, 0, api_name="/stream_trace")
        until(job.outputs)
        server.send_signal(signal.SIGTERM)
        assert not job.done()
        until(lambda: health(url).get("state") in ("stopping", None))
        assert job.exception() is None
        run = parse_trace(job.outputs()[-1]["trace"])
        assert (run.finish_reason, len(run.output_ids)) == ("length", tokens) and not violations(run)
        assert server.wait() == 0


@contextmanager
def served(flags: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """The app as a process of its own."""
    server = subprocess.Popen([sys.executable, "app.py", *flags], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        yield server
    finally:
        server.kill()
        server.wait()


def health(url: str) -> dict[str, Any]:
    """What the server says of itself; nothing while it is not there."""
    try:
        return dict(httpx.get(f"{url}/health", timeout=60).json())
    except httpx.TransportError:
        return {}
