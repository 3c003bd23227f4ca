"""The endpoints for programs: what the document shows works as it stands there, and what is wrong is a sentence."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from app.showcases import showcases

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
PROMPT = "one two one two one two"
SETTINGS = '{"ignore_eos": true}'


def block(language: str, server: str) -> str:
    """The document's code, with the address of the server under test."""
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found[1].replace("http://127.0.0.1:7860", server)


def test_the_document_s_python_runs(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(block("python", server), {})
    assert "'sound': True" in capsys.readouterr().out.replace('"', "'")


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_document_s_curl_lines_run(server: str) -> None:
    done = subprocess.run(["bash", "-c", block("bash", server)], capture_output=True, text=True, check=True)
    data = re.search(r"event: complete\ndata: (.*)", done.stdout)
    assert data, done.stdout[:400]
    assert json.loads(data[1])[0]["method"] == "sam"


def test_rounds_come_one_by_one_and_make_the_trace(server: str) -> None:
    client = Client(server, verbose=False)
    parts: list[Any] = list(client.submit(PROMPT, "pld", SETTINGS, 20, 1, api_name="/stream_trace"))
    *rounds, last = parts
    trace = last["trace"]
    assert [part["round"] for part in rounds] == [step["i"] + 1 for step in trace["steps"]]
    assert "".join(part["text"] for part in rounds) == trace["output_text"]
    assert sum(part["tokens"] for part in rounds) == len(trace["output_ids"]) == 20
    whole = client.predict(PROMPT, "pld", SETTINGS, 20, 1, api_name="/generate_trace")
    assert whole["output_ids"] == trace["output_ids"]


def test_a_sound_trace_is_sound_and_a_broken_one_says_where(server: str) -> None:
    client = Client(server, verbose=False)
    text = showcases()["story-pld"].path.read_text()
    assert client.predict(text, api_name="/check_trace") == {"sound": True, "problems": []}
    broken = json.loads(text)
    broken["tokens"][3]["round"] += 1
    found = client.predict(json.dumps(broken), api_name="/check_trace")
    assert not found["sound"] and found["problems"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", 3, None])
def test_what_is_no_trace_is_refused_in_a_sentence(server: str, text: Any) -> None:
    with pytest.raises(AppError) as caught:
        Client(server, verbose=False).predict(text, api_name="/check_trace")
    assert "unexpectedly" not in str(caught.value)


def test_a_stream_that_cannot_be_made_is_refused_in_a_sentence(server: str) -> None:
    with pytest.raises(AppError, match="no method"):
        Client(server, verbose=False).submit(PROMPT, "magic", api_name="/stream_trace").result()


@pytest.mark.browser
def test_an_embedded_run_is_the_run_alone(server: str, visit: Any) -> None:
    page = visit(f"{server}/?trace=story-sam&view=embed&round=3").page
    assert page.locator(".rs-live .rs-token").count() > 50
    assert not page.locator("#rs-header").is_visible() and not page.locator("#rs-side").is_visible()
    page.get_by_role("button", name="Embed", exact=True).click()
    page.get_by_role("button", name="Copied", exact=True).wait_for()
    assert 'trace=story-sam&amp;round=3&amp;view=embed"' in page.evaluate("navigator.clipboard.readText()")
