"""A page's HTML as it is served: with our styles, the addresses of its scripts, and what there is to read of it already.

Gradio's own HTML is empty until its client has run; all of this would come behind that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.components import served
from app.files import STATIC
from app.first_sight import Sight, html_of
from app.saved_page import module_names

STYLES = (
    "theme",
    "controls",
    "live",
    "methods",
    "compare",
    "lab",
    "learn",
    "presenting",
    "shelf",
    "first_sight",
)

SCRIPTS = ("loading_frames", "first_visit")  # that go before all others

# The theme is the one that Gradio will choose.
DARK = """<script>
{
  const theme = new URLSearchParams(location.search).get("__theme");
  if (theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches) document.body.classList.add("dark");
}
</script>"""

# Where the page will open the last run of this browser, that is what there is to read.
LAST = """<script>
try {
  const query = new URLSearchParams(location.search);
  const last = JSON.parse(localStorage.getItem("respec:last"));
  const looks = ["play", "__theme", "run", "round", "token"];
  if ([...query.keys()].every((name) => looks.includes(name)) && (query.get("run") ?? last.id) === last.id)
    for (const part of document.querySelectorAll("#rs-first [data-part]")) {
      part.textContent = last[part.dataset.part];
      part.parentElement.hidden = false;
    }
} catch {} // nothing is kept
</script>"""
RUNS = ("", "replay")  # pages that open on one


class ServedPage:
    """Middleware: the HTML of ``pages``, by their names, is completed; everything else is passed on."""

    def __init__(self, app: ASGIApp, pages: Mapping[str, Callable[[Mapping[str, str]], Sight]]) -> None:
        self._app, self._pages = app, pages
        self._heads = {page: _head(page) for page in pages}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        page = scope.get("path", "").strip("/")
        if scope["type"] != "http" or scope["method"] != "GET" or page not in self._pages:
            await self._app(scope, receive, send)
            return
        start: list[Message] = []
        parts: list[bytes] = []

        async def completed(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                start.append(message)
            elif not start:
                await send(message)
            else:
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    await self._send(page, scope, start[0], b"".join(parts).decode(), send)

        await self._app(scope, receive, completed)

    async def _send(self, page: str, scope: Scope, start: Message, html: str, send: Send) -> None:
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        body = self._complete(page, query, html).encode()
        headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
        await send({**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
        await send({"type": "http.response.body", "body": body})

    def _complete(self, page: str, query: dict[str, str], html: str) -> str:
        head, mark, body = html.rpartition("</head>")
        sight = "" if "view" in query else html_of(page, self._pages[page](query))  # in a frame there is no head
        before, app, rest = body.partition("<gradio-app")
        last = LAST if sight and page in RUNS else ""
        return f"{head}{self._heads[page]}{mark}{before}{DARK}{sight}{last}{app}{rest}"


def _is_page(start: Message) -> bool:
    kind = dict(start["headers"]).get(b"content-type", b"")
    return bool(start["status"] == 200 and kind.startswith(b"text/html"))


def _head(page: str) -> str:
    css = "\n".join((STATIC / f"{name}.css").read_text(encoding="utf-8") for name in STYLES)
    scripts = "\n".join((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    names = sorted({name for start in _starts(page) for name in module_names(start)})
    ahead = "".join(f'<link rel="modulepreload" href="./gradio_api/file={served(STATIC / name)}.js">' for name in names)
    return f"<script>{scripts}</script><style>{css}</style>{ahead}"


def _starts(page: str) -> tuple[str, ...]:
    """Modules that the page's components begin with."""
    return ("header", *{"": ("controls", "live"), "replay": ("live",)}.get(page, (page,)))
