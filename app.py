"""ReSpec Studio: ``python app.py [--model NAME]``. The page opens at once; the model loads beside it."""

from __future__ import annotations

from threading import Thread

from app.build import build, launch_options
from app.command import parse
from app.learn.library import LESSONS, Library
from app.loading import Loader
from respec_core.methods.opening import ModelChoice


def main() -> None:
    """Start the server."""
    options = parse()
    folders = (LESSONS,) if options.lessons is None else (LESSONS, options.lessons)
    library = Library(folders)
    demo = build(Loader(ModelChoice.parsed(options)).start(), library)
    Thread(target=library.warm, daemon=True).start()
    print(f"ReSpec Studio: http://{options.host}:{options.port}", flush=True)
    demo.launch(server_name=options.host, server_port=options.port, share=options.share, **launch_options())


if __name__ == "__main__":
    main()
