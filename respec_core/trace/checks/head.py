"""The run's head: settings that this program knows, and an identity that follows from them."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from respec_core.errors import ReSpecError
from respec_core.settings.run_config import RunConfig
from respec_core.trace.checks.reading import vocabulary_size
from respec_core.trace.extensions import Extensions
from respec_core.trace.schema import Run, run_digest, written_digest


def head_problems(run: Run, extensions: Extensions) -> Iterator[str]:
    """Settings out of range, and a head that contradicts itself."""
    try:
        config = RunConfig.model_validate({"method": run.method, **run.config})
        extensions.params(config.method, config.params)
    except ReSpecError as error:
        yield str(error)
        return
    except (ValidationError, TypeError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else {"loc": ("params",), "msg": str(error)}
        yield f"{'.'.join(map(str, first['loc'])) or 'config'} is not possible: {first['msg']}"
        return
    if config.method != run.method:
        yield f"the method is {run.method} but the settings are those of {config.method}"
    if "seed" in config.sampling.model_fields_set and config.sampling.seed != run.seed:
        yield f"seed {run.seed} is not the settings' {config.sampling.seed}"
    if not run.prompt_ids:
        yield "the prompt is empty"
    if run.prompt_pieces and len(run.prompt_pieces) != len(run.prompt_ids):
        yield f"{len(run.prompt_pieces)} prompt_pieces for {len(run.prompt_ids)} prompt_ids"
    size = vocabulary_size(run)
    if any(token < 0 or (size is not None and token >= size) for token in (*run.prompt_ids, *run.output_ids)):
        yield "a token id is outside the target's vocabulary"
    asked = run.config, run.models, run.prompt_ids
    if run.run_id not in (run_digest(*asked), written_digest(*asked)):
        yield "run_id is not the digest of config, models and prompt_ids"
