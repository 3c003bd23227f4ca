"""Where the page's own files are. No gradio here: a saved page needs them too."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

STATIC = Path(__file__).parent / "static"


def plotly_js() -> Path:
    """The drawing library as the pip package carries it."""
    spec = find_spec("plotly")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"
