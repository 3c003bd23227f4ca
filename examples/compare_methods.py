"""One prompt through several methods: ``python examples/compare_methods.py [MODEL]``.

With the strict rule every method writes what plain decoding writes (in bf16, on a card, near-ties may flip); they differ in
passes of the model. Sizes are the papers' here, so that the counts do not depend on the machine's speed.
"""

from __future__ import annotations

import sys

import respec_core

PROMPT = "Repeat this three times: the quick brown fox jumps over the lazy dog."

studio = respec_core.load(sys.argv[1] if len(sys.argv) > 1 else "smollm2-135m")
plain = studio.generate(PROMPT, method="vanilla", max_new_tokens=48)
for method in ("pld", "sam", "recycling"):
    run = studio.generate(PROMPT, method=method, preset="paper", max_new_tokens=48)
    same = "the same text" if run.output_ids == plain.output_ids else "ANOTHER TEXT"
    print(f"{method:<10} {run.summary.mat:5.2f} tokens a pass, {same}")
