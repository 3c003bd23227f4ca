"""Speed over plain decoding by prompt length, as a chart that Markdown viewers draw."""

from __future__ import annotations

from collections.abc import Sequence


def chart(sizes: Sequence[int], ratios: Sequence[float]) -> str:
    """A Mermaid chart: measured ratios, and the line where nothing is gained."""
    most = max(1.2, *ratios)
    return "\n".join(
        [
            "```mermaid",
            "xychart-beta",
            '    title "decode speed over plain decoding, which is the flat line"',
            f'    x-axis "tokens of the prompt" [{", ".join(map(str, sizes))}]',
            f'    y-axis "× plain" 0 --> {most:.1f}',
            f"    line [{', '.join(f'{ratio:.2f}' for ratio in ratios)}]",
            f"    line [{', '.join('1' for _ in ratios)}]",
            "```",
        ]
    )


def crossover(sizes: Sequence[int], ratios: Sequence[float]) -> float | None:
    """The prompt length from which on it pays, interpolated between the last that does not and the next; None for never."""
    for i in range(len(sizes) - 1, -1, -1):
        if ratios[i] < 1:
            if i == len(sizes) - 1:
                return None
            share = (1 - ratios[i]) / (ratios[i + 1] - ratios[i])
            return sizes[i] + share * (sizes[i + 1] - sizes[i])
    return float(sizes[0])
