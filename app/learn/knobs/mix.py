"""λ of DiffuSpec's path search (arXiv 2510.02358, Eq. 8) on a lattice made of whole phrases.

Every position knows how often each word stands there in all phrases, and nothing of its neighbours, as one diffusion pass
does; the proxy has read the phrases from left to right. The search is the engine's own.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from app.learn.goal import Reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.widget import Runs
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.cps import PathWeighing, search
from respec_core.methods.diffuspec.lattice import SearchLattice
from respec_core.methods.diffuspec.proxy import NGramProxy

VALUES = tuple(round(0.05 * i, 2) for i in range(21))
BEAM, ORDER = 4, 2
START = 0  # the id that every phrase begins with
NAMES = {"sense": "whether the path is one of the phrases", "lambda": "λ"}


@dataclass(frozen=True)
class Phrases:
    """Texts of one length, each as often as it occurs.

    Attributes:
        words: all words; a word's id is its place, from 1.
    """

    texts: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Phrases:
        """From ``of course x 4 | no problem x 3``.

        Raises:
            ReSpecError: if they are fewer than two, or of different lengths.
        """
        texts: list[tuple[str, ...]] = []
        for part in text.split("|"):
            phrase, _, times = part.partition(" x ")
            if times.strip() and not times.strip().isdecimal():
                raise ReSpecError("A phrase occurs a whole number of times: write ‘of course x 4’.")
            texts += [tuple(phrase.split())] * min(int(times or 1), 20)
        if len(set(texts)) < 2 or len(set(map(len, texts))) != 1 or not texts[0]:
            raise ReSpecError("phrases needs two or more phrases of the same number of words, with | between them.")
        return cls(tuple(texts), tuple(dict.fromkeys(word for one in texts for word in one)))

    def columns(self) -> list[list[tuple[str, float]]]:
        """The words of each position with their shares, likeliest first."""
        counts = [Counter(column) for column in zip(*self.texts, strict=True)]
        return [[(word, n / len(self.texts)) for word, n in count.most_common()] for count in counts]

    def favourites(self) -> str:
        """The likeliest word of every position."""
        return " ".join(column[0][0] for column in self.columns())

    def best(self, lambda_dlm: float) -> str:
        """The path that the search chooses."""
        ids = {word: i for i, word in enumerate(self.words, START + 1)}
        proxy = NGramProxy(ORDER, len(ids) + 1)
        proxy.read([token for text in self.texts for token in (START, *(ids[word] for word in text))])
        columns = self.columns()
        tokens = [[ids[word] for word, _ in column] for column in columns]
        shares = [[math.log(share) for _, share in column] for column in columns]
        lattice = SearchLattice.of(tokens, shares, 1.0, set())
        path = search(lattice, PathWeighing(lambda_dlm, proxy), (START,), BEAM).paths[0]
        return " ".join(self.words[token - 1] for token in path.tokens)


def mix_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """λ from 0, the proxy alone, to 1, the diffusion model alone."""
    phrases = Phrases.parse(fields.phrases)
    return [_reading(phrases, value) for value in VALUES]


def _reading(phrases: Phrases, value: float) -> Reading:
    path = phrases.best(value)
    sense = path in {" ".join(text) for text in phrases.texts}
    said = f"The search chooses ‘{path}’, {'one of the phrases' if sense else 'which nobody would write'}."
    return {
        "value": value,
        "label": f"λ = {value:.2f}",
        "sentence": said,
        "metrics": {"sense": float(sense), "lambda": value},
    }


KNOB = Knob("mix", "λ, the diffusion model's weight", NAMES, 1.0, mix_readings)
