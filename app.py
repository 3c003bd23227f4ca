"""ReSpec Studio: ``python app.py [--model NAME]``. The page opens at once; the model loads beside it."""

from __future__ import annotations

import os
from threading import Thread

from app.build import build, launch_options
from app.command import parse, refuse_closed
from app.lab.sets import Sets
from app.lab.warm import warm
from app.learn.library import LESSONS, Library
from app.loading import Loader
from app.serving.limits import Limits
from app.serving.line import Line
from app.serving.replicas import lent_replicas
from app.serving.runners import Here
from app.serving.stopping import serve_until_asked
from respec_core.methods.opening import ModelChoice


def main() -> None:
    """Serve until asked to stop."""
    options = parse()
    refuse_closed(options.host, options.port)
    if hasattr(os, "nice"):
        os.nice(5)  # a browser on the same machine goes before the engine's arithmetic
    folders = (LESSONS,) if options.lessons is None else (LESSONS, options.lessons)
    library, choice, limits = Library(folders), ModelChoice.parsed(options), Limits.parsed(options)
    with lent_replicas(choice, options.replicas - 1) as replicas:
        loader, sets = Loader(choice).start(), Sets()
        line = Line([*(Here(loader) for _ in range(limits.at_once)), *replicas], limits)
        demo = build(loader, line, library, sets)
        Thread(target=library.warm, daemon=True).start()
        Thread(target=lambda: warm(sets, loader), daemon=True).start()
        address = {"server_name": options.host, "server_port": options.port, "share": options.share}
        demo.launch(
            prevent_thread_lock=True, mcp_server=options.mcp, **address, **launch_options(loader, line, library)
        )
        print(f"ReSpec Studio: http://{options.host}:{options.port}", flush=True)
        serve_until_asked(demo, line, options.grace)


if __name__ == "__main__":
    main()
