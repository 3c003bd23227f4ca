"""The page under test: a server in this process, a tiny random model, a headless Chromium that records what goes wrong."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from app.learn.library import Library
from app.loading import Loader
from app.serving.limits import Limits
from app.serving.line import Line
from app.serving.runners import Here
from respec_core.methods.opening import ModelChoice

CHROMIUM = "/usr/bin/chromium"
AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
CUT = ("BodyStreamBuffer was aborted", "Connection error", "signal is aborted without reason")
PATIENCE_MS = 180_000  # of every wait: only a hang may end one, not a busy machine
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory, byte_tokenizer: PreTrainedTokenizerFast) -> Path:
    """A random two-layer Llama with a byte tokenizer, as a checkpoint folder."""
    folder = tmp_path_factory.mktemp("tiny") / "model"
    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=len(byte_tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        eos_token_id=byte_tokenizer.eos_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    byte_tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_loader(tiny_folder: Path) -> Loader:
    """The tiny model, loaded."""
    loader = Loader(ModelChoice(str(tiny_folder))).start().wait()
    assert loader.status.state == "ready", loader.status
    return loader


class PacedLoader(Loader):
    """A target whose forwards take a while, so that there is time to act during a run."""

    seconds = 0.015

    def pause(self) -> None:
        """Before every forward."""
        time.sleep(self.seconds)

    def _read(self) -> Any:
        models = super()._read()
        open_session = models.target.session

        def session(*arguments: Any) -> Any:
            paced = open_session(*arguments)
            forward = paced.forward

            def slow(tree: Any) -> Any:
                self.pause()
                return forward(tree)

            paced.forward = slow
            return paced

        models.target.session = session
        return models


class CrawlingLoader(PacedLoader):
    """A target whose longest run outlasts every wait."""

    seconds = 0.25


class HeldLoader(PacedLoader):
    """A target that stands still while it is held."""

    def __init__(self, choice: ModelChoice) -> None:
        super().__init__(choice)
        self.going = threading.Event()
        self.going.set()

    def pause(self) -> None:
        """Until it may go on."""
        self.going.wait()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., str]]:
    """Starts the app around a loader and gives its address."""
    from app.build import build, launch_options

    running = []

    def start(loader: Loader, library: Library | None = None, line: Line | None = None, **options: Any) -> str:
        line = line or Line([Here(loader)])
        demo = build(loader, line, library)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        demo.launch(
            server_name="127.0.0.1",
            server_port=port,
            prevent_thread_lock=True,
            **launch_options(loader, line),
            **options,
        )
        running.append(demo)
        return f"http://127.0.0.1:{port}"

    yield start
    for demo in running:
        demo.close(verbose=False)


@pytest.fixture(scope="session")
def server(serve: Callable[[Loader], str], tiny_loader: Loader) -> str:
    """The app with the tiny model."""
    return serve(tiny_loader)


@pytest.fixture(scope="session")
def slow_loader(tiny_folder: Path) -> Loader:
    """A slower tiny model, loaded."""
    return PacedLoader(ModelChoice(str(tiny_folder))).start().wait()


@pytest.fixture(scope="session")
def slow_server(serve: Callable[[Loader], str], slow_loader: Loader) -> str:
    """The app with a slower tiny model."""
    return serve(slow_loader)


@pytest.fixture(scope="session")
def crawling_server(serve: Callable[[Loader], str], tiny_folder: Path) -> str:
    """The app with a model that never gets to the end of a long run."""
    return serve(CrawlingLoader(ModelChoice(str(tiny_folder))).start().wait())


@pytest.fixture
def held_loader(tiny_folder: Path) -> HeldLoader:
    """The tiny model, which can be held."""
    return HeldLoader(ModelChoice(str(tiny_folder))).start().wait()  # type: ignore[return-value]  # itself


@pytest.fixture(scope="session")
def crowded_server(serve: Callable[[Loader], str], tiny_folder: Path) -> str:
    """The app with a crawling model and room for one waiting visitor."""
    loader = CrawlingLoader(ModelChoice(str(tiny_folder))).start().wait()
    return serve(loader, line=Line([Here(loader)], Limits(queued=1)))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless browser. On the build machine a missing one is a failure, elsewhere a skip."""
    playwright = pytest.importorskip("playwright.sync_api") if not os.environ.get("CI") else None
    if playwright is None:
        import playwright.sync_api as playwright  # type: ignore[no-redef]
    if not shutil.which(CHROMIUM):
        reason = f"there is no {CHROMIUM}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The checker's script. On the build machine a missing one is a failure, elsewhere a skip."""
    if not AXE.exists():
        reason = "there is no axe-core: npm ci"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return AXE.read_text(encoding="utf-8")


@dataclass
class Visit:
    """A page with everything it complained about and every address it asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    pages: int = 0

    def came(self, frame: Any) -> None:
        """Another page, or another address of it."""
        self.pages += frame == self.page.main_frame

    def complain(self, text: str) -> None:
        """Of a page that is left Gradio's client says that its streams were cut; everything else is a complaint."""
        if self.pages < 2 or not any(cut in text for cut in CUT):
            self.complaints.append(text)

    def tokens(self) -> int:
        """Tokens on screen."""
        return int(self.page.locator(".rs-token").count())

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        self.page.wait_for_function(expression)

    def until_idle(self) -> None:
        """Wait for the end of a run."""
        self.until("document.querySelector('.rs-live')?.dataset.state === 'idle'")


@pytest.fixture
def new_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens empty pages, each a visitor of its own."""
    contexts = []

    def open_page(*, newcomer: bool = False, **options: Any) -> Any:
        contexts.append(chromium.new_context(**options))
        if not newcomer:  # who is new is led to Learn
            contexts[-1].add_init_script("try { localStorage.setItem('respec:visited', true) } catch {}")
        contexts[-1].set_default_timeout(PATIENCE_MS)
        return contexts[-1].new_page()

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def visit(new_page: Callable[..., Any]) -> Iterator[Callable[..., Visit]]:
    """Opens pages; afterwards none may have logged an error or asked for anything outside this machine."""
    visits = []

    def open_page(url: str, *, width: int = 1440, height: int = 900, dark: bool = False, wait: bool = True) -> Visit:
        page = new_page(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        seen = Visit(page)
        page.on("console", lambda m: seen.complain(m.text) if m.type in ("error", "warning", "trace") else None)
        page.on("pageerror", lambda error: seen.complain(str(error)))
        page.on("framenavigated", lambda frame: seen.came(frame))
        page.on("request", lambda r: None if _local(r.url) else seen.outside.append(r.url))
        visits.append(seen)
        page.goto(url)
        if wait:
            page.wait_for_selector(".rs-token, .rs-notice:not(:empty)")
        return seen

    yield open_page
    complaints = [text for seen in visits for text in seen.complaints]
    outside = [url for seen in visits for url in seen.outside]
    assert not complaints
    assert not outside


def _local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1", "data:", "blob:", "file:"))
