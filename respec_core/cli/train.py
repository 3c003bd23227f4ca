"""Commands that train the drafters of a target: ``data``, ``eagle``, ``diffusion``, its ``markov`` head, both ``joint``, ``card``.

``all`` does the first four and measures the card.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from respec_core.boundary.output import check_folder
from respec_core.cli.workshop import Workshop
from respec_core.methods.diffuspec.block_network import WEIGHTS as BLOCK_WEIGHTS
from respec_core.methods.diffuspec.block_network import BlockDrafter
from respec_core.methods.diffuspec.markov_head import WEIGHTS as MARKOV_WEIGHTS
from respec_core.methods.diffuspec.markov_head import MarkovHead
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.parts.written_texts import Text
from respec_core.training.acceptance import Acceptance, measure
from respec_core.training.anchors import AnchorReader
from respec_core.training.averaging import keep
from respec_core.training.benchmark import answered
from respec_core.training.card import add_results, drop_card, write_card
from respec_core.training.corpus import CorpusBuilder, Plan
from respec_core.training.diffusion_training import (
    DiffusionRecipe,
    measure_blocks,
    new_drafter,
    train_diffusion,
)
from respec_core.training.eagle_training import FIRST_SHARE, EagleRecipe, new_head, train_eagle
from respec_core.training.joint_training import LinkedDrafter, train_jointly
from respec_core.training.lean import LeanLlama
from respec_core.training.loop import Recipe
from respec_core.training.markov_training import (
    READING_SHARE,
    WARM_UP,
    MarkovRecipe,
    forget_markov,
    measure_markov,
    new_markov_head,
    train_markov,
)
from respec_core.training.optimiser import Budget
from respec_core.training.texts import coverage, frequent_tokens

ACTIONS = ("data", "eagle", "diffusion", "markov", "joint", "card", "all")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; sizes default to what two processor cores do in an hour or two."""
    parser.add_argument(
        "action",
        choices=ACTIONS,
        help="data, eagle, diffusion, markov, joint (diffusion and markov as one), card (measure again), or all",
    )
    parser.add_argument("--target", default="smollm2-135m", help="registry name, hub id or folder")
    parser.add_argument("--work", type=Path, default=Path("runs/training"), help="corpus and checkpoints")
    parser.add_argument(
        "--corpus", type=Path, help="texts written earlier, e.g. a drafter's corpus folder (default WORK/corpus)"
    )
    parser.add_argument("--out", type=Path, help="weights and card (default assets/drafters/TARGET)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", choices=("fp32", "bf16"), help="of the target (default bf16 on CUDA)")
    parser.add_argument("--seed", type=int, default=0)
    data = parser.add_argument_group("data")
    data.add_argument("--user-turns", type=int, default=4000, help="questions the target begins with")
    data.add_argument("--rows", type=int, default=64, help="texts written side by side")
    data.add_argument("--cache-tokens", type=int, default=32_768, help="tokens held while writing")
    data.add_argument("--answer-tokens", type=int, default=192)
    data.add_argument("--context-tokens", type=int, default=900, help="longest self-written context")
    train = parser.add_argument_group("training")
    train.add_argument("--seconds", nargs=3, type=float, default=(3600.0, 3600.0, 3600.0), metavar="S",
                       help="time for data, head, diffusion drafter")  # fmt: skip
    train.add_argument("--steps", type=int, default=1_000_000, help="end after so many steps instead")
    train.add_argument("--every", type=int, default=200, help="steps between evaluations")
    train.add_argument("--curve-texts", type=int, default=400, help="held-out texts of an evaluation")
    train.add_argument("--tokens", type=int, default=4096, help="most tokens of a batch")
    train.add_argument("--window", type=int, default=2048, help="most trained positions of a batch")
    train.add_argument("--rate", type=float, default=2e-3, help="peak learning rate of matrices")
    train.add_argument(
        "--start", type=Path, metavar="FOLDER", help="go on from this folder's weights, not from new ones"
    )
    train.add_argument("--keep", type=float, default=0.0, metavar="SHARE",
                       help="with --start: of the earlier weights in the result, an average of both")  # fmt: skip
    train.add_argument("--openings", type=float, default=Recipe.openings,
                       help="share of the batches that hold only the beginnings of answers")  # fmt: skip
    train.add_argument("--vocab", type=int, default=10_240, help="tokens the drafters can say")
    train.add_argument("--layers", help="hidden states the head reads (default thirds of the target and -1)")
    train.add_argument("--depth", type=int, default=5, help="draft steps unrolled")
    train.add_argument("--widen", type=float, default=1.0, help="width of the head's MLP against the target's")
    train.add_argument("--block", type=int, default=8, help="positions the diffusion drafter fills at once")
    train.add_argument("--block-layers", type=int, default=3)
    train.add_argument("--stride", type=int, default=4, help="a trained block starts at every so many positions")
    train.add_argument("--anchors", type=int, default=MarkovRecipe.anchors,
                       help="blocks that the Markov head is trained on")  # fmt: skip
    train.add_argument("--markov-seconds", type=float, default=900.0, metavar="S",
                       help="time for the Markov head, its anchors included")  # fmt: skip
    parser.add_argument("--questions", type=Path, help="Spec-Bench file to measure on (never trained on)")
    parser.add_argument("--per-kind", type=int, default=10)
    parser.add_argument("--card-texts", type=int, default=2000, help="held-out texts that the card is measured on")


def main(args: argparse.Namespace) -> int:
    """Train a target's drafters on text that it writes itself."""
    args.out = args.out or Path("assets/drafters") / Path(args.target).name
    for folder in (args.work, args.out):
        check_folder(folder)
    shop = Workshop.open(args)
    if args.action in ("data", "all"):
        plan = Plan(
            args.user_turns, args.seconds[0], answer_tokens=args.answer_tokens, context_tokens=args.context_tokens,
            seed=args.seed,
        )  # fmt: skip
        CorpusBuilder(shop.target, shop.frame, plan, shop.limits, shop.corpus, say).build()
    if args.action == "data":
        return 0
    if args.action in ("eagle", "all"):
        _train_eagle(shop)
    if args.action in ("diffusion", "all"):
        _train_diffusion(shop)
    if args.action in ("markov", "all"):
        _train_markov(shop)
    if args.action == "joint":
        _train_jointly(shop)
    _measure(shop)
    return 0


def _train_eagle(shop: Workshop) -> None:
    args, n = shop.args, len(shop.target.layers)
    texts, held_out = shop.texts()
    if args.start:
        head = shop.head(args.start).requires_grad_(True)
    else:
        layers = [int(x) for x in args.layers.split(",")] if args.layers else [n // 3, 2 * n // 3, -1]
        vocabulary = frequent_tokens(texts, shop.target.vocab, min(args.vocab, shop.target.vocab))
        head = new_head(shop.target, vocabulary, layers, args.depth, args.widen)
    size, share = head.config.draft_vocab, coverage(texts, shop.target.vocab, head.draft_to_target)
    say(f"{len(texts)} texts, {len(held_out)} held out; {size} tokens cover {share:.2%}")
    recipe = EagleRecipe(
        args.tokens, args.window, args.openings, args.every, args.seed, args.depth,
        first_share=0.0 if args.start else FIRST_SHARE,
    )  # fmt: skip
    trained = train_eagle(
        shop.target, head, texts, held_out[: args.curve_texts], recipe, shop.budget(1), args.work, say
    )
    head.config = replace(head.config, context=max(len(text.tokens) for text in texts))
    if args.start:
        keep(head, shop.head(args.start), args.keep)
    head.save(args.out)
    facts = {**shop.facts(texts, head), "draft_vocab": size, "coverage": round(share, 4)}
    write_card(args.out, "eagle", facts, trained.progress, args.start)


def _block(shop: Workshop, head: EagleHead) -> BlockDrafter:
    """The block that a training begins with."""
    args = shop.args
    if args.start:
        return BlockDrafter.load(args.start, device=args.device).requires_grad_(True)
    return new_drafter(head, args.block_layers, args.block, head.config.hidden_size * 4 // 3)


def _block_recipe(args: argparse.Namespace) -> DiffusionRecipe:
    return DiffusionRecipe(args.tokens, args.window, args.openings, args.every, args.seed, args.stride)


def _train_diffusion(shop: Workshop) -> None:
    args, head = shop.args, shop.head(shop.args.out)
    texts, held_out = shop.texts()
    drafter, curve = _block(shop, head), held_out[: args.curve_texts]
    trained = train_diffusion(
        shop.target, head, drafter, texts, curve, _block_recipe(args), shop.budget(2), args.work, say
    )
    if args.start:
        keep(drafter, BlockDrafter.load(args.start, device=args.device), args.keep)
    drafter.save(args.out)
    (args.out / MARKOV_WEIGHTS).unlink(missing_ok=True)  # of the block before
    drop_card(args.out, "markov")
    forget_markov(args.work)
    facts = {**shop.facts(texts, drafter), "block": drafter.config.block}
    write_card(args.out, "diffusion", facts, trained.progress, args.start)


def _train_jointly(shop: Workshop) -> None:
    args, head = shop.args, shop.head(shop.args.out)
    texts, held_out = shop.texts()
    drafter = _block(shop, head)
    there = args.start and (args.start / MARKOV_WEIGHTS).is_file()
    markov = MarkovHead.load(args.start, drafter, args.device) if there else new_markov_head(drafter)
    pair, curve = LinkedDrafter(drafter, markov.requires_grad_(True)), held_out[: args.curve_texts]
    trained = train_jointly(shop.target, head, pair, texts, curve, _block_recipe(args), shop.budget(2), args.work, say)
    if args.start:
        keep(drafter, BlockDrafter.load(args.start, device=args.device), args.keep)
    if there:
        keep(markov, MarkovHead.load(args.start, drafter, args.device), args.keep)
    drafter.save(args.out)
    markov.save(args.out)
    forget_markov(args.work)
    block = {**shop.facts(texts, drafter), "block": drafter.config.block, "together_with": "its Markov head"}
    write_card(args.out, "diffusion", block, trained.progress, args.start)
    links = {**shop.facts(texts, markov), "cells": markov.config.cells, "together_with": "the block"}
    write_card(args.out, "markov", links, trained.progress, args.start)


def _train_markov(shop: Workshop) -> None:
    args, head = shop.args, shop.head(shop.args.out)
    texts, held_out = shop.texts()
    drafter = BlockDrafter.load(args.out, device=args.device)
    markov = new_markov_head(drafter)
    recipe = MarkovRecipe(args.tokens, args.window, args.openings, args.every, args.seed, args.anchors)
    reading = AnchorReader(shop.target, head, drafter, markov.config.cells, recipe.stride)
    generator = torch.Generator().manual_seed(args.seed)
    began, seconds = time.monotonic(), args.markov_seconds
    stream, most = recipe.stream(texts)(generator), seconds * READING_SHARE
    anchors = reading.collect(stream, recipe.anchors, most, generator, args.work, say)
    read = round(time.monotonic() - began)
    evaluate = partial(measure_markov, shop.target, head, drafter, markov, held_out[: args.curve_texts], args.tokens)
    steps = min(args.steps, max(1, round(recipe.epochs * len(anchors) / recipe.batch)))
    budget = Budget(steps, seconds - read, warm_up=WARM_UP, other_rate=args.rate)
    trained = train_markov(markov, head, anchors, evaluate, recipe, budget, args.work, say)
    markov.save(args.out)
    facts = {**shop.facts(texts, markov), "anchors": len(anchors), "reading_seconds": read}
    write_card(args.out, "markov", {**facts, "cells": markov.config.cells}, trained.progress)


def _measure(shop: Workshop) -> None:
    args, head = shop.args, shop.head(shop.args.out)
    sets = {"held-out": shop.texts()[1][: args.card_texts]} if shop.corpus.is_dir() else {}
    if args.questions:
        exact = LeanLlama(shop.network, torch.float32, args.device)
        sets["Spec-Bench"] = answered(exact, shop.frame, args.questions, args.per_kind, 128, shop.limits)
    for name, how, found in _measuring(shop, head):
        results = {f"{label}{how}": found(texts) for label, texts in sets.items()}
        add_results(args.out, name, results)
        for label, result in results.items():
            say(f"{name} on {label}: {[round(x, 3) for x in result.overall]}, {result.accepted():.2f} a round")


def _measuring(shop: Workshop, head: EagleHead) -> Iterator[tuple[str, str, Callable[[list[Text]], Acceptance]]]:
    """What this action may have changed, and how it is measured."""
    args, target, tokens = shop.args, shop.target, shop.args.tokens
    if args.action not in ("diffusion", "markov", "joint"):
        yield "eagle", "", partial(measure, target, head, depth=args.depth, tokens=tokens)
    if not (args.out / BLOCK_WEIGHTS).is_file():
        return
    drafter = BlockDrafter.load(args.out, device=args.device)
    blocks = partial(measure_blocks, target, head, drafter, tokens=tokens)
    if args.action != "markov":
        yield "diffusion", "", blocks
    if (args.out / MARKOV_WEIGHTS).is_file():
        markov = MarkovHead.load(args.out, drafter, args.device)
        yield "markov", ", without it", blocks
        yield "markov", "", partial(measure_markov, target, head, drafter, markov, tokens=tokens)


def say(line: str) -> None:
    """Progress goes to standard output at once."""
    print(line, flush=True)
