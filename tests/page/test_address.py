"""An address that cannot be listened on is refused before anything is loaded."""

from __future__ import annotations

import socket

import pytest

from app.command import refuse_closed


def test_a_taken_port_and_one_that_is_none_are_refused_in_one_line(capsys):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for host, port in (("127.0.0.1", taken.getsockname()[1]), ("127.0.0.1", 99_999), ("192.0.2.1", 7860)):
            with pytest.raises(SystemExit) as stopped:
                refuse_closed(host, port)
            told = capsys.readouterr().err
            assert stopped.value.code == 2
            assert told.count("\n") == 1 and f"{host}:{port}" in told and "--port" in told


def test_the_port_of_a_server_just_stopped_is_free_at_once():
    """Its last connection, closed from this side, lingers for a minute."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as visitor:
            answered, _ = server.accept()
            answered.close()
            assert visitor.recv(1) == b""
    refuse_closed("127.0.0.1", port)
    refuse_closed("127.0.0.1", port)
