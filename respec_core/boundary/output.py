"""Output files and folders: the one place that writes them. No torch.

A file gets its content whole, through a temporary neighbour and a rename, or stays as it was. Links are followed. What a
rename would turn into something else is written in place: a pipe or device, whatever standard output goes to, another
user's file, a file with several names, a file in a folder where nothing new can be made.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from respec_core.errors import ReSpecError


def check_file(path: Path, inputs: Iterable[Path | None] = ()) -> None:
    """Fail before the work is done, not after; nothing is made or changed.

    Args:
        inputs: files that are read, which no output may replace.

    Raises:
        ReSpecError: if ``path`` cannot be written, or is one of ``inputs``.
    """
    with told(path):
        found = _look(path)
        if found is not None and stat.S_ISREG(found.st_mode) and any(_is(found, given) for given in inputs):
            raise OSError(errno.EINVAL, "it is also what is read")
        if found is None or not _in_place(path, found):
            _try_out(_real(path).parent)
        elif stat.S_ISREG(found.st_mode) and _own_stream(found) is None:
            os.close(
                os.open(path, os.O_WRONLY)
            )  # a device or a pipe could notice, so only its permissions were looked at


def check_folder(path: Path) -> None:
    """Fail early unless files can be made in ``path``, or it can be made itself.

    Raises:
        ReSpecError: if neither can be.
    """
    with told(path):
        there = path.absolute()
        while not os.path.lexists(there):
            there = there.parent
        _try_out(there)


def make_folder(path: Path) -> None:
    """Make ``path`` and what is above it, unless it is there.

    Raises:
        ReSpecError: if it cannot be made.
    """
    with told(path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """A binary file to fill; ``path`` has its content once the block ends, and is untouched if the block fails.

    A new file's permissions follow the umask, a replaced one's stay.

    Raises:
        ReSpecError: for any error of the file system, in one sentence.
    """
    with told(path):
        found = _look(path)
        if found is not None and _in_place(path, found):
            with _existing(path, found) as file:
                yield file
            return
        real = _real(path)
        temporary = _temporary_name(real.parent)
        file = temporary.open("xb")
        try:
            with file:
                if found is not None:
                    os.fchmod(file.fileno(), stat.S_IMODE(found.st_mode))
                yield file
            temporary.replace(real)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_bytes(path: Path, data: bytes) -> None:
    """Write ``data`` as :func:`open_output` does."""
    with open_output(path) as file:
        file.write(data)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` in UTF-8 as :func:`open_output` does."""
    write_bytes(path, text.encode("utf-8"))


@contextmanager
def staging_folder(destination: Path) -> Iterator[Path]:
    """A hidden folder beside ``destination`` to build it in, removed at the end; a rename of it or of a part keeps that.

    Raises:
        ReSpecError: if it cannot be made.
    """
    make_folder(destination.parent)
    folder = _temporary_name(destination.parent)
    with told(destination):
        folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn an error of the file system into a sentence about ``path``.

    Raises:
        ReSpecError: in place of an ``OSError``.
    """
    try:
        yield
    except OSError as error:
        raise ReSpecError(f"{path} cannot be written: {_reason(error)}; choose another place.") from error


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "its folder does not exist"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    return error.strerror or str(error)


def _look(path: Path) -> os.stat_result | None:
    """What is at ``path``, links followed; None if nothing is. Raises ``OSError`` where it must not be written."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    if _own_stream(found) is not None:
        return found
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError
    if not any(kind(found.st_mode) for kind in (stat.S_ISREG, stat.S_ISCHR, stat.S_ISFIFO)):
        raise OSError(errno.EINVAL, "it is neither a file nor a stream")
    if not found.st_mode & 0o222 or not os.access(path, os.W_OK):  # the superuser may write everything, yet should not
        raise PermissionError(errno.EACCES, "it is read-only")
    return found


def _is(found: os.stat_result, given: Path | None) -> bool:
    with suppress(OSError):  # who reads it says so
        return given is not None and os.path.samestat(found, os.stat(given))
    return False


def _in_place(path: Path, found: os.stat_result) -> bool:
    return (
        not stat.S_ISREG(found.st_mode)
        or _own_stream(found) is not None
        or found.st_uid != os.geteuid()
        or found.st_nlink > 1
        or not os.access(_real(path).parent, os.W_OK | os.X_OK)
    )


def _existing(path: Path, found: os.stat_result) -> BinaryIO:
    stream = _own_stream(found)
    if stream is None:
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_TRUNC), "wb")
    for text in (sys.stdout, sys.stderr):
        if text is not None:
            text.flush()
    return os.fdopen(os.dup(stream), "wb")  # opened anew, a redirected stream would begin at its start again


def _own_stream(found: os.stat_result) -> int | None:
    """Standard output or error, if that is what was found."""
    for descriptor in (1, 2):
        with suppress(OSError):  # closed
            if os.path.samestat(found, os.fstat(descriptor)):
                return descriptor
    return None


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _temporary_name(folder: Path) -> Path:
    return folder / f".respec-{secrets.token_hex(8)}"  # short whatever the final name is, which may fill its limit


def _try_out(folder: Path) -> None:
    trial = _temporary_name(folder)
    trial.touch(exist_ok=False)
    trial.unlink()
