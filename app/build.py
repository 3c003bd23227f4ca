"""The app: theme, page, queue and the rules it is served under."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # before gradio is imported

import gradio as gr
from starlette.middleware import Middleware

from app.addresses import Slashes
from app.api import public_endpoints
from app.compare.page import ADDRESS as COMPARE
from app.compare.page import compare_page
from app.files import STATIC, plotly_js
from app.first_sight import sights
from app.lab.page import ADDRESS as LAB
from app.lab.page import lab_page
from app.lab.sets import Sets
from app.learn.library import Library
from app.learn.page import ADDRESS as LEARN
from app.learn.page import learn_page
from app.live import live_page
from app.loading import Loader
from app.replay import ADDRESS as REPLAY
from app.replay import replay_page
from app.served_page import ServedPage
from app.serving.health import health_route
from app.serving.line import Line

MAX_EVENTS = 400  # of all kinds that wait for Gradio; runs wait in our own line
THREADS = 40  # for everything but runs
# between two looks into Gradio's queue, which looks a thousand times a second and takes that from the engine
GLANCE_SECONDS = 0.02


def build(loader: Loader, line: Line, library: Library | None = None, sets: Sets | None = None) -> gr.Blocks:
    """The pages and their endpoints; ``library`` are the lessons, if not ours alone, ``sets`` the Lab's."""
    gr.set_static_paths([STATIC, plotly_js()])
    with gr.Blocks(title="ReSpec Studio", analytics_enabled=False, fill_width=True) as demo:
        live_page(demo, loader, line)
        public_endpoints(line)
    with demo.route("Compare", f"/{COMPARE}", show_in_navbar=False):
        compare_page(demo, loader, line)
    with demo.route("Lab", f"/{LAB}", show_in_navbar=False):
        lab_page(demo, loader, line, sets or Sets())
    with demo.route("Learn", f"/{LEARN}", show_in_navbar=False):
        learn_page(demo, loader, library or Library())
    with demo.route("Replay", f"/{REPLAY}", show_in_navbar=False):
        replay_page(demo, loader, line)
    demo.queue(max_size=MAX_EVENTS, default_concurrency_limit=4)
    demo._queue.sleep_when_free = demo._queue.progress_update_sleep_when_free = GLANCE_SECONDS
    return demo


def launch_options(loader: Loader, line: Line, library: Library | None = None) -> dict[str, Any]:
    """Everything the server is started with, but for its address."""
    pages = Middleware(ServedPage, pages=sights(library or Library()))
    return {
        "theme": gr.themes.Base(
            font=[gr.themes.LocalFont("IBM Plex Sans", (400, 700)), "Segoe UI", "Roboto", "Arial", "sans-serif"],
            font_mono=[gr.themes.LocalFont("IBM Plex Mono", (400, 700)), "Consolas", "monospace"],
        ),
        "app_kwargs": {
            "middleware": [Middleware(Slashes, pages=(COMPARE, LAB, LEARN, REPLAY)), pages],
            "routes": [health_route(loader, line)],
        },
        "max_threads": THREADS + len(line.runners) + line.limits.queued,  # who waits has one too
        "footer_links": [],
        "run_history": False,
        "enable_monitoring": False,
        "show_error": False,
        "ssr_mode": False,
        "max_file_size": "16mb",
        "state_session_capacity": 200,
        "quiet": True,
    }
