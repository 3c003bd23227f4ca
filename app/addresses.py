"""Addresses of pages below wherever the app is served: a trailing slash leads to the page, also behind a sub-path.

Gradio's own redirect leads to ``/compare`` at the top of the host, and loses what the address asks for.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class Slashes:
    """Middleware: ``…/page/?query`` is answered with a redirect to ``../page?query``, which every proxy leaves alone."""

    def __init__(self, app: ASGIApp, pages: Collection[str]) -> None:
        self._app = app
        self._pages = frozenset(pages)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; all but those of a page with a slash are passed on."""
        page = self._page(scope)
        if page is None:
            await self._app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        await RedirectResponse(f"../{page}" + (f"?{query}" if query else ""))(scope, receive, send)

    def _page(self, scope: Scope) -> str | None:
        if scope["type"] != "http" or not scope["path"].endswith("/"):
            return None
        page = scope["path"].rstrip("/").rpartition("/")[2]
        return page if page in self._pages else None
