"""An address that cannot be listened on is refused before anything is loaded."""

from __future__ import annotations

import socket

import pytest

from app.command import refuse_closed


def test_a_taken_port_and_one_that_is_none_are_refused_in_one_line(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for host, port in (("127.0.0.1", taken.getsockname()[1]), ("127.0.0.1", 99_999), ("192.0.2.1", 7860)):
            with pytest.raises(SystemExit) as stopped:
                refuse_closed(host, port)
            told = capsys.readouterr().err
            assert stopped.value.code == 2
            assert told.count("\n") == 1 and f"{host}:{port}" in told and "--port" in told


def test_a_free_one_stays_free():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    refuse_closed("127.0.0.1", port)
    refuse_closed("127.0.0.1", port)
