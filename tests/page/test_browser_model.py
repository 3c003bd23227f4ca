"""The page with the embedded model: the 90-second demo, as a presenter would give it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.loading import Loader
from respec_core.methods.opening import ModelChoice

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.slow]


def test_demo_of_copying_under_the_strict_rule(serve: Callable[[Loader], str], visit) -> None:
    url = serve(Loader(ModelChoice("smollm2-135m")).start().wait())
    seen = visit(f"{url}/?play=0&method=respec-strict&example=copy-text&max_new_tokens=60&plain=1")
    seen.until("!document.querySelector('#rs-run').disabled")
    seen.page.click("#rs-run")
    seen.until("document.querySelector('.rs-live').dataset.state === 'running'")
    seen.until("document.querySelector('.rs-live').dataset.state === 'idle'")
    assert seen.tokens() == 60
    assert "same ids as plain" in seen.page.inner_text(".rs-badges")
    per_pass = float(seen.page.locator(".rs-metric-value").first.inner_text())
    assert per_pass > 4
    seen.page.keyboard.press("Home")
    copied = seen.page.locator(".rs-prompt .is-copied.is-accepted")
    for _ in range(12):
        seen.page.keyboard.press("ArrowRight")
        if copied.count():
            break
    assert copied.count() > 0
    seen.page.click("[data-tab=trigger]")
    seen.page.wait_for_selector(".rs-panel-trigger .rs-lamp.is-lit >> visible=true")
