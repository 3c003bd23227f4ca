"""``atlas`` and ``sweep`` as a user meets them, on a tiny local model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from processes import in_two_processes
from safetensors.numpy import load_file
from tiny import tiny_head

from respec_core.bench.sharing import PART
from respec_core.cli import main
from respec_core.lab.manifest import read_manifest
from respec_core.lab.ranges import parse_range
from respec_core.methods.opening import ModelChoice, open_models
from respec_core.models.language_model import load_model

QUESTIONS = [("copy", "abcabcabcabc"), ("copy", "hahaha"), ("chat", "the other one")]


@pytest.fixture(scope="module")
def recorded(model_dir, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    tiny_head(load_model(model_dir, "cpu")).save(folder / "head")
    lines = [json.dumps({"question_id": i, "category": k, "turns": [t]}) for i, (k, t) in enumerate(QUESTIONS)]
    (folder / "q.jsonl").write_text("\n".join(lines))
    command = ["atlas", "--model", model_dir, "--head", str(folder / "head"), "--device", "cpu"]
    asked = ["--questions", str(folder / "q.jsonl"), "--max-new-tokens", "24", "--out", str(folder / "atlas")]
    assert main([*command, *asked, "--record", "head.widths=[3]", "--record", "head.depth=2"]) == 0
    assert main([*command, *asked, "--record", "head.widths=[3]", "--record", "head.depth=2", "--resume"]) == 0
    return folder


def swept(recorded: Path, capsys, *words: str, method: str = "respec-strict") -> dict:
    narrow = ["--set", "fallback_top_k=3", "--set", "fallback_depth=2"] if method == "respec-strict" else []
    assert main(["sweep", "--atlas", str(recorded / "atlas"), "--method", method, *narrow, *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_atlas_has_every_question_once(recorded):
    manifest = read_manifest(recorded / "atlas")
    assert [(entry.id, entry.kind, entry.tokens) for entry in manifest.texts] == [
        ("0", "copy", 24), ("2", "chat", 24), ("1", "copy", 24)
    ]  # fmt: skip
    assert manifest.cost_curve
    assert manifest.resources["head"].options == {"widths": [3], "depth": 2, "first": False}


def test_a_sweep_has_the_passes_of_the_real_runs(recorded, model_dir, capsys):
    found = swept(recorded, capsys, "--set", "switch=gate", "--param", "theta_entropy=0:4:2")
    assert (found.pop("method"), found.pop("param"), [*found]) == ("respec-strict", "theta_entropy", ["rows"])
    assert {*found["rows"][0]} == {"value", "tokens", "target_passes", "mat", "predicted_ratio"}
    assert [row["value"] for row in found["rows"]] == [0, 2, 4]
    options = {"model": model_dir, "head": str(recorded / "head"), "device": "cpu"}
    models = open_models(ModelChoice.of(options), lambda _: None)
    for row in found["rows"]:
        assert (row["tokens"], row["target_passes"]) == (72, really(models, row["value"]))
        assert row["mat"] == row["tokens"] / row["target_passes"]
        assert row["predicted_ratio"] > 0


def really(models, theta: float) -> int:
    """Passes of decoding all questions."""
    from respec_core.methods.registry import find_method
    from respec_core.methods.running import complete
    from respec_core.models.prompts import request_for

    values = {"fallback_top_k": 3, "fallback_depth": 2, "switch": "gate", "theta_entropy": theta}
    config = find_method("respec-strict").configure(values | {"budget": "own", "max_new_tokens": 24})
    runs = [complete(request_for(models.target, config, text), models) for _, text in QUESTIONS]
    return sum(run.summary.target_passes for run in runs)


def test_kinds_and_several_settings(recorded, capsys):
    words = ["--param", "len_threshold=1,3", "--param", "n_predicts=2:4:2", "--kinds", "copy"]
    found = swept(recorded, capsys, *words, method="sam")
    assert found["param"] == ["len_threshold", "n_predicts"]
    assert [row["value"] for row in found["rows"]] == [[1, 2], [1, 4], [3, 2], [3, 4]]
    assert {row["tokens"] for row in found["rows"]} == {48}
    sized = swept(recorded, capsys, "--param", "budget=own,0", "--max-new-tokens", "10", method="sam")
    assert [row["mat"] for row in sized["rows"]][1] == 1
    assert {row["tokens"] for row in sized["rows"]} == {30}


def test_the_table_marks_the_best_row_and_the_front(recorded, capsys):
    words = ["--atlas", str(recorded / "atlas"), "--method", "sam", "--param", "budget=0,own", "--objective", "time"]
    assert main(["sweep", *words]) == 0
    told = capsys.readouterr().out
    assert told.count("best") == 1
    assert "replayed, not timed" in told
    same = ["--atlas", str(recorded / "atlas"), "--method", "pld", "--param", "relax_k=1,2"]
    assert main(["sweep", *same]) == 0
    assert "All rows are the same" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--method", "nothing", "--param", "a=1"], "no method 'nothing'"),
        (["--method", "sam", "--param", "theta=1:2:1"], "sam has no setting 'theta'"),
        (["--method", "sam", "--param", "len_threshold"], "is not NAME="),
        (["--method", "sam", "--param", "len_threshold=1:2"], "three numbers"),
        (["--method", "sam", "--param", "len_threshold=2:1:1"], "goes up"),
        (["--method", "sam", "--param", "len_threshold=1:2:1e-9"], "more than 1000 values"),
        (["--method", "sam", "--param", "len_threshold=0:2:1"], "len_threshold = 0 is not possible"),
        (["--method", "sam", "--param", "len_threshold=1,2", "--param", "len_threshold=3"], "given to --param twice"),
        (["--method", "sam", "--param", "len_threshold=1", "--kinds", "poems"], "no texts of the kind 'poems'"),
        (["--method", "sam", "--param", "len_threshold=1", "--dtype", "bf16"], "not in 'bf16'"),
        (["--method", "sam", "--param", "temperature=0.5"], "recorded with temperature = 0.0"),
        (["--method", "recycling", "--param", "budget=own"], "learns from rejected tokens"),
        (["--method", "respec", "--param", "k_cand=1"], "Only strict greedy decoding can be replayed"),
        (["--method", "eagle2", "--param", "top_k=1:4:1"], "not of width 1 and depth 5: choose a recorded width"),
        (["--method", "sam", "--param", "max_new_tokens=25"], "holds 24 tokens"),
    ],
)
def test_what_a_sweep_cannot_do_is_said_in_a_sentence(words, says, recorded, capsys):
    assert main(["sweep", "--atlas", str(recorded / "atlas"), *words]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--temperature", "1"], "temperature 0"),
        (["--limit", "0"], "--limit of at least 1"),
        (["--record", "head.colour=3"], "'head.colour' is not known here"),
        (["--record", "head.widths=[0]"], "--record widths.0"),
        ([], "--resume"),
        (["--resume", "--max-new-tokens", "5"], "recorded with other config"),
    ],
)
def test_what_an_atlas_cannot_do_is_said_in_a_sentence(words, says, recorded, model_dir, capsys):
    command = ["atlas", "--model", model_dir, "--head", str(recorded / "head"), "--device", "cpu"]
    asked = ["--questions", str(recorded / "q.jsonl"), "--out", str(recorded / "atlas")]
    if "--max-new-tokens" not in words:
        asked += ["--max-new-tokens", "24"]
    options = [] if "--record" in words else ["--record", "head.widths=[3]", "--record", "head.depth=2"]
    assert main([*command, *asked, *options, *words]) == 2
    assert says in capsys.readouterr().err


def test_a_folder_without_an_atlas(tmp_path, capsys):
    assert main(["sweep", "--atlas", str(tmp_path), "--method", "sam", "--param", "len_threshold=1"]) == 2
    assert "holds no atlas" in capsys.readouterr().err


def test_two_processes_that_were_interrupted_go_on_to_the_atlas_of_one(recorded, model_dir, tmp_path):
    out, old = tmp_path / "atlas", read_manifest(recorded / "atlas")
    part, first = out / f"{PART}0", old.texts[0]
    part.mkdir(parents=True)  # one text was whole when both were stopped, the next half written, nothing merged
    (part / "manifest.json").write_text(old.model_copy(update={"texts": (first,)}).model_dump_json())
    was = (recorded / "atlas" / first.file).read_bytes()
    (part / first.file).write_bytes(was)
    (part / "00001.safetensors").write_bytes(was[: len(was) // 2])
    command = ["atlas", "--model", model_dir, "--head", str(recorded / "head"), "--device", "cpu", "--out", str(out)]
    asked = ["--questions", str(recorded / "q.jsonl"), "--max-new-tokens", "24", "--resume"]
    options = ["--record", "head.widths=[3]", "--record", "head.depth=2"]
    done = in_two_processes(*command, *asked, *options)
    assert done.returncode == 0, done.stderr
    assert "[1/3]" not in done.stderr and "[2/3]" in done.stderr and "[3/3]" in done.stderr
    new = read_manifest(out)
    assert new.differing(old) == []
    assert [(e.id, e.kind, e.file, e.tokens) for e in new.texts] == [
        (e.id, e.kind, e.file, e.tokens) for e in old.texts
    ]
    assert {path.name for path in out.iterdir()} == {"manifest.json", *(entry.file for entry in new.texts)}
    assert (out / first.file).read_bytes() == was
    for entry, before in zip(new.texts, old.texts, strict=True):
        ours, theirs = load_file(out / entry.file), load_file(recorded / "atlas" / before.file)
        assert ours["output_ids"].tolist() == theirs["output_ids"].tolist()
        assert ours["head/3.tokens"].tolist() == theirs["head/3.tokens"].tolist()


def test_one_prompt_by_itself(model_dir, tmp_path, capsys):
    out = tmp_path / "one"
    assert main(["atlas", "--model", model_dir, "--prompt", "abcabc", "--max-new-tokens", "6", "--out", str(out)]) == 0
    assert "1 texts, 6 positions; recorded: the target" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ("a=0:1:0.25", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("a=1:7:3", [1, 4, 7]),
        ("a=0:0.3:0.1", [0.0, 0.1, 0.2, 0.3]),
        ("a=own,4,true", ["own", 4, True]),
    ],
)
def test_ranges_have_both_ends(given, values):
    assert parse_range(given) == ("a", values)
    assert [type(value) for value in parse_range(given)[1]] == [type(value) for value in values]


def test_an_oracle_spends_no_more_than_the_run(recorded, capsys):
    command = ["oracle", "--atlas", str(recorded / "atlas"), "--method", "sam"]
    drafters = ["--drafters", "pld,sam,eagle2:top_k=3:depth=2"]
    assert main([*command, *drafters, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["kinds"]) == {"copy", "chat"}
    for row in (found["overall"], *found["kinds"].values()):
        assert row["best"] <= row["spent"]
        assert sum(row["lost"].values()) == pytest.approx(row["spent"] - row["best"])
        assert sum(row["oracle_takes"].values()) == row["best"]
    swept_alone = swept(recorded, capsys, "--param", "budget=own", method="sam")
    assert found["overall"]["spent"] == swept_alone["rows"][0]["target_passes"]
    assert main([*command, *drafters, "--objective", "time", "--kinds", "chat"]) == 0
    told = capsys.readouterr().out
    assert "predicted ms" in told
    assert "spent ÷ best" in told
    assert main([*command, "--drafters", " , "]) == 2
    assert "names none" in capsys.readouterr().err
    assert main([*command, "--drafters", "recycling"]) == 2
    assert "learns from rejected" in capsys.readouterr().err


def test_a_verdict_for_every_text_kind_and_all(recorded, capsys):
    command = ["verdict", "--atlas", str(recorded / "atlas"), "--method", "pld"]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["id"]: row["kind"] for row in found["texts"]} == {"0": "copy", "1": "copy", "2": "chat"}
    assert sum(row["target_passes"] for row in found["texts"]) == found["overall"]["target_passes"]
    assert found["kinds"]["chat"]["verdict"] == next(row["verdict"] for row in found["texts"] if row["id"] == "2")
    whole = found["overall"]
    assert whole["verdict"].startswith("Predicted to help" if whole["predicted_ratio"] >= 1 else "Predicted not to")
    assert main(command) == 0
    told = capsys.readouterr().out
    assert all(row["verdict"] in told for row in (*found["texts"], whole))
    assert main([*command, "--set", "budget=0"]) == 0
    assert capsys.readouterr().out.count("Nothing is drafted") == 6


@pytest.fixture(scope="module")
def many(model_dir, tmp_path_factory) -> Path:
    """Twelve prompts of two kinds, without a head."""
    folder = tmp_path_factory.mktemp("many")
    texts = [("copy", f"{'ab' * i}c{'ab' * i}") for i in range(2, 8)] + [("chat", f"the {i} hats") for i in range(6)]
    lines = [json.dumps({"question_id": i, "category": k, "turns": [t]}) for i, (k, t) in enumerate(texts)]
    (folder / "q.jsonl").write_text("\n".join(lines))
    asked = ["--questions", str(folder / "q.jsonl"), "--max-new-tokens", "20", "--out", str(folder / "atlas")]
    assert main(["atlas", "--model", model_dir, "--device", "cpu", *asked]) == 0
    return folder


def tuned(many: Path, capsys, *words: str) -> dict:
    command = [
        "tune",
        "--atlas",
        str(many / "atlas"),
        "--method",
        "sam",
        "--knobs",
        "n_predicts,len_threshold,auxiliary",
    ]
    assert main([*command, "--trials", "25", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_search_finds_what_a_sweep_knows_to_be_better(many, capsys):
    """A long threshold is the start, so that there is something to find; what needs a head is never chosen."""
    command = ["--set", "len_bias=1", "--seed", "3"]
    found = tuned(many, capsys, *command)
    assert found["trials"] == 25
    assert set(found["changed"]) <= {"n_predicts", "len_threshold", "auxiliary"}
    assert found["changed"].get("auxiliary", "none") == "none"
    assert found["train"]["gain"] >= 1
    assert found["train"]["texts"] == found["held_out"]["texts"] == 6
    assert {kind: row["texts"] for kind, row in found["kinds"].items()} == {"copy": 3, "chat": 3}
    assert found["beats_default"] == (found["held_out"]["interval"][0] > 1)
    assert tuned(many, capsys, *command) == found  # seeded


def test_a_search_goes_on_in_its_journal(many, tmp_path, capsys):
    journal = ["--journal", str(tmp_path / "tune.log")]
    short = ["tune", "--atlas", str(many / "atlas"), "--method", "pld", *journal, "--json", "--trials"]
    assert main([*short, "5"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*short, "8"]) == 0
    longer = json.loads(capsys.readouterr().out)
    assert (first["trials"], longer["trials"]) == (5, 8)
    assert longer["train"]["after"] >= first["train"]["after"]


def test_a_search_without_effect_says_so(many, capsys):
    command = ["tune", "--atlas", str(many / "atlas"), "--method", "sam", "--knobs", "auxiliary_nodes", "--trials", "3"]
    assert main(command) == 0
    assert "Nothing that was tried beats the start" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--method", "vanilla"], "no settings of its own"),
        (["--method", "sam", "--knobs", "colour"], "no setting 'colour' to search"),
        (["--method", "sam", "--knobs", "len_bias", "--set", "len_bias=3"], "both set and to be searched"),
        (["--method", "sam", "--trials", "0"], "--trials from 1"),
        (["--method", "sam", "--train", "1"], "--train share between"),
        (["--method", "sam", "--train", "0.99"], "too few texts"),
        (["--method", "recycling"], "learns from rejected tokens"),
    ],
)
def test_what_a_search_cannot_do_is_said_in_a_sentence(words, says, many, capsys):
    assert main(["tune", "--atlas", str(many / "atlas"), *words]) == 2
    assert says in capsys.readouterr().err
