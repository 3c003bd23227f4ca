"""``/health``: what a program that looks after the server wants to know."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from app.loading import Loader
from app.serving.line import Line
from respec_core import __version__

ADDRESS = "/health"


def health_route(loader: Loader, line: Line) -> Route:
    """200 where runs are taken, 503 while the model is loading, cannot be loaded, or the server is stopping."""

    async def health(_: Request) -> JSONResponse:
        status = loader.status
        ready = status.state == "ready" and not line.closing
        told = {
            "ready": ready,
            "state": "stopping" if line.closing else status.state,
            "model": status.model,
            "runs_on": status.text,
            "queue": line.waiting,
            "running": line.running,
            "replicas": {
                "all": len(line.runners),
                "ready": sum(runner.ready for runner in line.runners) if ready else 0,
            },
            "version": __version__,
        }
        return JSONResponse(told, 200 if ready else 503, headers={"Cache-Control": "no-store"})

    return Route(ADDRESS, health)
