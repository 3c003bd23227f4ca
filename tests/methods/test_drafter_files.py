"""Drafter files: whatever is wrong with one is said in a line when it is loaded, by the tensor's name where there is one."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch
from eagle_reference import HEADS, VOCAB, D, H, eagle_weights, write
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tiny import tiny_block, tiny_head, tiny_model

from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec import block_network as block_diffusion
from respec_core.methods.diffuspec.loading import load_diffusion
from respec_core.methods.eagle import head as eagle_head
from respec_core.methods.eagle.loading import load_head
from respec_core.methods.eagle.public_checkpoints import load_public

TARGET = tiny_model(vocab=VOCAB, width=H, seed=1)
HEAD = tiny_head(TARGET)
NOT_NUMBERS = (float("nan"), float("inf"), float("-inf"))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with a head and a block drafter of ours."""
    HEAD.save(tmp_path)
    tiny_block(HEAD).drafter.save(tmp_path)
    return tmp_path


def load(kind: str, folder: Path) -> None:
    """As the program does."""
    if kind == "eagle":
        load_head(TARGET, folder)
    elif kind == "block":
        load_diffusion(TARGET, HEAD, folder)
    else:
        load_public(folder, TARGET.network)


def public(folder: Path, kind: str) -> Path:
    """A public checkpoint's weights file of this kind."""
    w = eagle_weights("both")
    write(folder, w)
    if kind == "public.bin":
        (folder / "model.safetensors").unlink()
        torch.save(w, folder / "pytorch_model.bin")
        return folder / "pytorch_model.bin"
    return folder / "model.safetensors"


def file_of(kind: str, folder: Path) -> Path:
    if kind in ("eagle", "block"):
        HEAD.save(folder)
        tiny_block(HEAD).drafter.save(folder)
        return folder / (eagle_head.WEIGHTS if kind == "eagle" else block_diffusion.WEIGHTS)
    return public(folder, kind)


def one_line(kind: str, folder: Path, match: str) -> None:
    with pytest.raises(ReSpecError, match=match) as error:
        load(kind, folder)
    assert "\n" not in str(error.value)
    assert "weights_only" not in str(error.value)


KINDS = ("eagle", "block", "public.safetensors", "public.bin")
DAMAGE = {
    "empty": lambda data: b"",
    "one byte": lambda data: data[:1],
    "cut in the header": lambda data: data[:40],
    "cut in half": lambda data: data[: len(data) // 2],
    "last byte missing": lambda data: data[:-1],
    "random": lambda data: bytes((i * 197 + 31) % 256 for i in range(len(data))),
    "text": lambda data: b'{"not": "weights"}',
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_refused(tmp_path, kind, damage):
    path = file_of(kind, tmp_path)
    load(kind, tmp_path)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    one_line(kind, tmp_path, "could not be read as weights")


@pytest.mark.parametrize("value", NOT_NUMBERS)
@pytest.mark.parametrize("kind", KINDS)
def test_values_that_are_not_finite_are_refused_by_name(tmp_path, kind, value):
    path = file_of(kind, tmp_path)
    name = changed(path, lambda t: t.masked_fill(torch.arange(t.numel()).view(t.shape) == 3, value))
    one_line(kind, tmp_path, f"{name} holds values that are not finite")


def rewritten(path: Path, change) -> None:
    """Replace the file's tensors by what ``change`` makes of them; metadata stays."""
    if path.suffix == ".bin":
        torch.save(change(torch.load(path, weights_only=True)), path)
        return
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    save_file(change(load_file(path)), path, metadata=metadata)


def changed(path: Path, change) -> str:
    """Rewrite ``path`` with its last floating tensor changed (left out, where nothing is left of it); returns the name."""
    names = []

    def last(tensors):
        names.append(max(name for name, t in tensors.items() if t.is_floating_point()))
        new = change(tensors[names[0]]).contiguous()
        return {name: new if name == names[0] else t for name, t in tensors.items() if name != names[0] or new.numel()}

    rewritten(path, last)
    return names[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda t: t[..., :-1], "has shape"),
        (lambda t: t.int(), "holds torch.int32"),
        (lambda t: t.to(torch.float8_e4m3fn), "float8"),
        (lambda t: t[:0], "is missing"),
    ],
)
def test_tensors_that_do_not_fit_are_refused_by_name(tmp_path, kind, change, match):
    path = file_of(kind, tmp_path)
    name = changed(path, change)
    one_line(kind, tmp_path, f"{name}.*{match}")


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_tensors_are_refused_by_name(tmp_path, kind):
    path = file_of(kind, tmp_path)
    rewritten(path, lambda tensors: {**tensors, "layers.0.self_attn.o_proj.bias": torch.zeros(H)})
    one_line(kind, tmp_path, r"layers\.0\.self_attn\.o_proj\.bias is unknown")


@pytest.mark.parametrize(
    "missing", ["fc.bias", "fc.weight", "layers.0.self_attn.k_proj.bias", "layers.0.mlp.up_proj.weight"]
)
def test_what_a_public_head_lacks_is_named(tmp_path, missing):
    w = eagle_weights("both")
    del w[missing]
    write(tmp_path, w, bias=True, qkv_bias=True)
    one_line("public", tmp_path, f"{missing} is missing")


def test_what_older_heads_carry_beside_their_weights_is_read(tmp_path):
    w = eagle_weights("both")
    own = torch.randn(VOCAB, H)
    write(tmp_path, {**w, "embed_tokens.weight": own, "layers.0.self_attn.rotary_emb.inv_freq": torch.ones(D // 2)})
    assert torch.equal(load_public(tmp_path, TARGET.network).embedding.cpu(), own)
    write(tmp_path, {**w, "embed_tokens.weight": TARGET.embedding.detach().cpu().clone()})
    assert load_public(tmp_path, TARGET.network).embedding.data_ptr() == TARGET.embedding.data_ptr()


@pytest.mark.parametrize("content", [[1, 2], {"state_dict": {"fc.weight": torch.zeros(2)}}, torch.zeros(3), 7])
def test_pickles_of_something_else_are_refused(tmp_path, content):
    path = public(tmp_path, "public.bin")
    torch.save(content, path)
    one_line("public", tmp_path, "could not be read as weights")


class Hostile:
    def __reduce__(self):
        return (Path.touch, (Path("hostile-was-run"),))


def test_a_pickle_that_would_run_code_is_refused_unrun(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = public(tmp_path, "public.bin")
    path.write_bytes(pickle.dumps({"fc.weight": Hostile()}))
    one_line("public", tmp_path, "could not be read as weights")
    torch.save({"fc.weight": Hostile()}, path)
    one_line("public", tmp_path, "could not be read as weights")
    assert not (tmp_path / "hostile-was-run").exists()


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "JSON"),
        ("[]", "config"),
        ("{", "JSON"),
        ("{}", "hidden_size"),
        ('{"hidden_size": "wide"}', "hidden_size"),
        (json.dumps({"hidden_size": H, "num_attention_heads": 0, "intermediate_size": 48}), "num_attention_heads"),
        (
            json.dumps({"hidden_size": H, "num_attention_heads": HEADS, "intermediate_size": 10**12}),
            "intermediate_size",
        ),
        (
            json.dumps({"hidden_size": H, "num_attention_heads": HEADS, "intermediate_size": 48, "hidden_act": "gelu"}),
            "hidden_act",
        ),
        (
            json.dumps(
                {"hidden_size": H, "num_attention_heads": HEADS, "intermediate_size": 48, "num_key_value_heads": 3}
            ),
            "cannot share",
        ),
    ],
)
def test_a_public_config_that_cannot_be_is_refused_by_field(tmp_path, text, match):
    public(tmp_path, "public.safetensors")
    (tmp_path / "config.json").write_text(text)
    one_line("public", tmp_path, match)


@pytest.mark.parametrize(
    "fields",
    [{"head_dim": 0}, {"head_dim": 7}, {"num_kv_heads": 3}, {"hidden_size": -8}, {"rope_theta": "x"}, {"new": 1}],
)
@pytest.mark.parametrize("kind", ["eagle", "block"])
def test_an_own_config_that_cannot_be_is_refused_by_field(own, kind, fields):
    path = own / (eagle_head.WEIGHTS if kind == "eagle" else block_diffusion.WEIGHTS)
    config = asdict(HEAD.config if kind == "eagle" else tiny_block(HEAD).drafter.config)
    save_file(load_file(path), path, metadata={"config": json.dumps({**config, **fields})})
    one_line(kind, own, "no config of a drafter")
    save_file(load_file(path), path)
    one_line(kind, own, "no config of a drafter")


@pytest.mark.parametrize("ids", [[-1], [VOCAB], [5, 5], [9, 3]])
def test_a_vocabulary_map_that_names_no_tokens_is_refused(own, ids):
    path = own / eagle_head.WEIGHTS
    tensors = load_file(path)
    tensors["draft_to_target"][: len(ids)] = torch.tensor(ids, dtype=torch.int)
    save_file(tensors, path, metadata={"config": json.dumps(asdict(HEAD.config))})
    one_line("eagle", own, "map from the head's vocabulary")


def test_a_block_drafter_for_another_head_is_refused(own):
    drafter = tiny_block(HEAD).drafter
    other = block_diffusion.BlockDrafter(replace(drafter.config, num_kv_heads=1))
    other.save(own)
    one_line("block", own, "EAGLE head of another shape")
