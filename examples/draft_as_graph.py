"""A draft tree as a networkx graph: ``python examples/draft_as_graph.py [MODEL]``."""

from __future__ import annotations

import sys

import networkx as nx

import respec_core

studio = respec_core.load(sys.argv[1] if len(sys.argv) > 1 else "smollm2-135m")
run = studio.generate("Count from one to ten, twice.", method="recycling", preset="paper", max_new_tokens=32)

largest = max(run.steps, key=lambda step: len(step.trees.final)).i
tree = run.graph(largest)
print(f"round {largest}: {len(tree) - 1} guesses, {nx.dag_longest_path_length(tree)} deep")
for leaf in (node for node in tree if tree.out_degree(node) == 0):
    path = nx.shortest_path(tree, 0, leaf)[1:]
    right = sum(tree.nodes[node]["outcome"] == "strict_accept" for node in path)
    print(f"{right} of {len(path)} accepted: {''.join(tree.nodes[node]['text'] for node in path)!r}")
