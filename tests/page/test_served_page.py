"""What the middleware makes of answers: pages are completed, whatever else passes as it is, streams included."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.first_sight import sights
from app.learn.library import Library
from app.served_page import ServedPage

PAGE = "<html><head><title>x</title></head><body><gradio-app></gradio-app></body></html>"


async def page(_: Request) -> Response:
    return HTMLResponse(PAGE)


async def missing(_: Request) -> Response:
    return PlainTextResponse("no such page", 404)


async def stream(_: Request) -> Response:
    async def parts() -> AsyncIterator[bytes]:
        yield b"a"
        yield b"b"

    return StreamingResponse(parts(), media_type="text/event-stream")


ROUTES = [Route("/", page), Route("/learn", page), Route("/lab", missing), Route("/gradio_api/mcp/", stream)]


def answered(address: str) -> httpx.Response:
    return TestClient(ServedPage(Starlette(routes=ROUTES), sights(Library()))).get(address)


def test_a_page_has_styles_modules_and_text_in_their_places() -> None:
    found = answered("/?trace=story-pld")
    head, _, body = found.text.partition("</head>")
    assert "<style>" in head and "/live.js" in head and "first-token" not in head.partition("<style>")[0]
    assert body.index('id="rs-first"') < body.index("<gradio-app")
    assert 'class="rs-first-token' in body
    assert int(found.headers["content-length"]) == len(found.content)
    assert "Why one token" in answered("/learn?lesson=cost").text


def test_a_frame_has_no_head_of_ours_and_a_run_of_the_browser_no_text() -> None:
    assert 'id="rs-first"' not in answered("/?view=embed").text
    assert 'class="rs-first-token' not in answered("/?run=abc").text


def test_the_lab_s_first_verdict_is_there_before_any_script() -> None:
    lab = sights(Library())["lab"]
    assert "Predicted to help" in lab({}).about and "Predicted" not in lab({"method": "pld"}).about
    assert "Predicted" not in lab({"set": "own"}).about


def test_everything_else_passes_as_it_is() -> None:
    assert (answered("/lab").status_code, answered("/lab").text) == (404, "no such page")
    found = answered("/gradio_api/mcp/")
    assert found.text == "ab" and "content-length" not in found.headers
