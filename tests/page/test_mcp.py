"""The endpoints as MCP tools; without the package for it one sentence."""

from __future__ import annotations

import asyncio
import json
from ast import literal_eval
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.command import parse
from app.loading import Loader
from app.showcases import showcases


def test_what_is_missing_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.command.find_spec", lambda name: None)
    with pytest.raises(SystemExit) as caught:
        parse(["--mcp"])
    assert caught.value.code == 2 and "requirements-mcp.txt" in capsys.readouterr().err


def test_an_assistant_decodes_and_checks(serve: Callable[..., str], tiny_loader: Loader) -> None:
    assert parse(["--mcp"]).mcp
    server = serve(tiny_loader, mcp_server=True)
    with ThreadPoolExecutor(1) as aside:  # this thread's loop is the browser's, where one is open
        tools, run, verdict, refused = aside.submit(asyncio.run, used(f"{server}/gradio_api/mcp/")).result()
    assert {"generate_trace", "stream_trace", "check_trace"} <= {*tools}
    assert "asker" not in json.dumps(tools["generate_trace"])
    assert len(run["output_ids"]) == 8 and verdict == {"sound": True, "problems": []}
    assert "no method" in refused


async def used(address: str) -> tuple[dict[str, Any], Any, Any, str]:
    """What the tools take, and what three calls of them give."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    asked = {"prompt": "one two one two", "method": "pld", "settings_json": '{"ignore_eos": true}', "max_new_tokens": 8}
    async with streamablehttp_client(address) as (reading, writing, _), ClientSession(reading, writing) as session:
        await session.initialize()
        tools = {tool.name: tool.inputSchema for tool in (await session.list_tools()).tools}
        run = await session.call_tool("generate_trace", asked)
        trace = showcases()["story-pld"].path.read_text()
        checked = await session.call_tool("check_trace", {"trace_json": trace})
        refused = await session.call_tool("generate_trace", {**asked, "method": "magic"})
    run, checked = (literal_eval(answer.content[0].text) for answer in (run, checked))  # Gradio writes Python
    return tools, run, checked, refused.content[0].text
