"""A model of its own in another process, on a card of its own where there are several."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Literal

from app.loading import Loader
from app.serving.runners import Job
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice

STOP = "stop"
GLANCE_SECONDS = 0.1  # between two looks whether the visitor asked to stop
GONE = "The process that ran this has ended unexpectedly: run it again."
LAST_SECONDS = 5.0  # for a process to end by itself
log = logging.getLogger(__name__)

State = Literal["loading", "ready", "error", "gone"]


class Replica:
    """Starts at once and takes runs when its model is there. What a run yields is pickled on its way."""

    here = False

    def __init__(self, choice: ModelChoice, number: int) -> None:
        context = get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, choice, number), name=f"replica-{number}")
        self._process.start()
        theirs.close()
        self._state: State = "loading"
        self._asking = threading.Lock()  # one reads what the process says of its model

    @property
    def ready(self) -> bool:
        """Whether its model is there."""
        with self._asking:
            if self._state == "loading":
                self._hear()
            elif self._state == "ready" and not self._process.is_alive():
                self._state = "gone"
            return self._state == "ready"

    def run(self, job: Job, stopped: Callable[[], bool]) -> Iterator[Any]:
        """As ``Runner`` says; ``job`` can be pickled."""
        going, asked = True, False
        try:
            self._ours.send(job)
            while going:
                if not asked and stopped():
                    asked = self._ask()
                if not self._ours.poll(GLANCE_SECONDS):
                    continue
                kind, value = self._ours.recv()
                going = kind == "part"
                if kind == "failed":
                    raise ReSpecError(value)
                if going:
                    yield value
        except (EOFError, OSError) as error:
            self._state, going = "gone", False
            raise ReSpecError(GONE) from error
        finally:
            if going:
                self._drain(asked)

    def close(self) -> None:
        """End the process; what it runs is lost."""
        self._ours.close()
        self._process.join(LAST_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _hear(self) -> None:
        try:
            if self._ours.poll():
                self._state, text = self._ours.recv()
                if self._state == "error":
                    log.error("a replica could not be loaded: %s", text)
        except (EOFError, OSError):
            self._state = "gone"

    def _ask(self) -> bool:
        self._ours.send(STOP)
        return True

    def _drain(self, asked: bool) -> None:
        """The visitor has left: the run ends at the engine's next event."""
        with suppress(EOFError, OSError):
            if not asked:
                self._ask()
            while self._ours.recv()[0] == "part":
                pass


@contextmanager
def lent_replicas(choice: ModelChoice, beside: int) -> Iterator[tuple[Replica, ...]]:
    """So many models beside this process's own, until the body ends. Cores and cards are shared out among all."""
    if beside:
        share = max(1, len(os.sched_getaffinity(0)) // (beside + 1))
        os.environ.setdefault("RESPEC_THREADS", str(share))
    replicas = tuple(Replica(choice, number) for number in range(1, beside + 1))
    if beside:
        choose_card(0)
    try:
        yield replicas
    finally:
        for replica in replicas:
            replica.close()


def work(connection: Connection, choice: ModelChoice, number: int) -> None:
    """The process: load, then run one job after another until the connection is closed."""
    for sign in (signal.SIGINT, signal.SIGTERM):  # its parent says when to end
        signal.signal(sign, signal.SIG_IGN)
    choose_card(number)
    loader = Loader(choice).start().wait()
    connection.send((loader.status.state, loader.status.text))
    with suppress(EOFError, OSError):
        while loader.status.state == "ready":
            job = connection.recv()
            if job != STOP:  # a late one, for a run that had ended
                _run(job, loader, connection)


def _run(job: Job, loader: Loader, connection: Connection) -> None:
    asked = False

    def stopped() -> bool:
        nonlocal asked
        while connection.poll():
            asked = connection.recv() == STOP
        return asked

    try:
        for part in job(lambda: loader.models, stopped):
            connection.send(("part", part))
        connection.send(("end", None))
    except ReSpecError as error:
        connection.send(("failed", str(error)))
    except (EOFError, OSError):
        raise
    except Exception:
        log.exception("a run failed")
        connection.send(("failed", "The run failed unexpectedly; the server's log says why."))


def choose_card(number: int) -> None:
    """Of the cards that may be used, the one whose turn it is; before torch is there."""
    visible = [card for card in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if card]
    if not visible:
        visible = [str(i) for i in range(_cards())]
    if visible:
        os.environ["CUDA_VISIBLE_DEVICES"] = visible[number % len(visible)]


def _cards() -> int:
    """NVIDIA's cards of this machine, by its driver's files."""
    folder = "/proc/driver/nvidia/gpus"
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0
