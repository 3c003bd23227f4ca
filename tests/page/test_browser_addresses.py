"""Pages below a sub-path of a proxy, with and without a slash, and in a frame of another site."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from app.loading import Loader

pytestmark = pytest.mark.browser

BELOW = "/studio"
CODE = "traces=copy-code-sam,copy-code-respec"
OWN = {"content-length", "transfer-encoding", "connection", "host"}


def proxy(target: str, framed: str) -> Starlette:
    """Serves ``target`` below a path of its own, as a web server in front of it does; ``/frame`` frames an address."""
    client = httpx.AsyncClient(timeout=None)

    async def pass_on(request: Request) -> Response:
        path = request.url.path.removeprefix(BELOW) or "/"
        asked = client.build_request(
            request.method,
            f"{target}{path}?{request.url.query}",
            headers={**request.headers, "accept-encoding": "identity"},
            content=await request.body(),
        )
        answer = await client.send(asked, stream=True)
        headers = {name: value for name, value in answer.headers.items() if name not in OWN}
        return StreamingResponse(answer.aiter_raw(), answer.status_code, headers)

    async def frame(_: Request) -> Response:
        return HTMLResponse(f'<iframe src="{framed}" width="1200" height="800"></iframe>')

    async def nothing(_: Request) -> Response:
        return Response(status_code=204)

    top = [Route(path, nothing) for path in ("/manifest.json", "/favicon.ico")]  # Gradio asks for these at the top
    anything = Route(BELOW + "{path:path}", pass_on, methods=["GET", "POST", "HEAD"])
    return Starlette(routes=[*top, Route("/frame", frame), anything])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def below(serve: Callable[..., str], tiny_loader: Loader) -> Iterator[str]:
    """The address of the app below a path."""
    port = free_port()
    address = f"http://127.0.0.1:{port}{BELOW}"
    app = proxy(serve(tiny_loader, root_path=BELOW), f"{address}/compare/?{CODE}")
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield address
    server.should_exit = True
    thread.join(timeout=20)


@pytest.mark.parametrize("slash", ["", "/"])
def test_compare_is_there_below_a_path_with_and_without_a_slash(below: str, visit: Any, slash: str) -> None:
    page = visit(f"{below}/compare{slash}?{CODE}").page
    assert page.locator(".rs-compare-text").count() == 2
    assert page.url.startswith(f"{below}/compare?{CODE}")
    page.click("nav >> text=Live")
    page.wait_for_selector(".rs-live .rs-token")
    assert page.url.startswith(f"{below}/")
    page.go_back()
    page.wait_for_selector(".rs-compare-text .rs-token")


@pytest.mark.parametrize("slash", ["", "/"])
def test_who_is_new_below_a_path_is_led_to_the_first_lesson(below: str, new_page: Any, slash: str) -> None:
    page = new_page(newcomer=True)
    page.goto(f"{below}{slash}")
    page.wait_for_url(f"{below}/learn?lesson=cost*")


def test_a_run_below_a_path_has_an_address_that_opens_it_again(below: str, visit: Any) -> None:
    seen = visit(f"{below}/?prompt=one+two&method=pld&max_new_tokens=8&ignore_eos=true", wait=False)
    page = seen.page
    seen.until("document.querySelector('#rs-run')?.textContent === 'Run'")
    page.click("#rs-run")
    page.wait_for_selector(".rs-live .rs-token")
    seen.until_idle()
    seen.until("location.search.includes('run=')")
    assert page.url.startswith(f"{below}/?run=")
    text = page.inner_text(".rs-tokens")
    page.click("text=Copy link")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{below}/?method=pld&") and "&run=" in copied and "&round=8" in copied
    for again in (page.url, copied):
        page.goto(again)
        page.wait_for_selector(".rs-live .rs-token")
        assert page.inner_text(".rs-tokens") == text
    page.click(".rs-api")
    code = page.locator(".rs-calling .rs-code")
    assert f'Client("{below}"' in code.first.inner_text() and ":7860" not in page.inner_text(".rs-calling")
    code.nth(1).get_by_role("button").click()
    page.wait_for_function("document.querySelectorAll('.rs-code button')[1].textContent === 'Copied'")
    assert f"-X POST {below}/gradio_api/call/generate_trace" in page.evaluate("navigator.clipboard.readText()")


def test_compare_is_there_in_a_frame(below: str, visit: Any) -> None:
    page = visit(f"{below.removesuffix(BELOW)}/frame", wait=False).page
    frame = page.frame_locator("iframe")
    frame.locator(".rs-compare-text .rs-token").first.wait_for()
    frame.locator("nav >> text=Live").click()
    frame.locator(".rs-live .rs-token").first.wait_for()


def test_a_frame_of_another_site_where_nothing_may_be_kept(server: str, new_page: Any) -> None:
    page = new_page(viewport={"width": 1000, "height": 600})
    for name in ("localStorage", "sessionStorage", "indexedDB"):
        page.add_init_script(f"Object.defineProperty(window, '{name}', {{ get() {{ throw new DOMException('no') }} }})")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{server}/?play=0&trace=story-pld&round=3")
    page.wait_for_selector(".rs-live .rs-token")
    page.wait_for_function("document.querySelector('.rs-round-label').textContent.startsWith('Round 3 ')")
    page.wait_for_function("document.querySelector('.rs-notice').textContent.includes('keeps no runs')")
    right = "[...document.querySelectorAll('.rs-live .rs-actions > *')].map(e => e.getBoundingClientRect().right)"
    assert page.evaluate(f"Math.max(...{right})") <= 1000
    assert errors == []
