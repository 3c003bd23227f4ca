"""Small functions for working with text."""

from collections import Counter


def is_palindrome(text: str) -> bool:
    """Return True if the text reads the same forwards and backwards, ignoring case and punctuation."""
    letters = [character.lower() for character in text if character.isalnum()]
    return letters == letters[::-1]


def count_words(text: str) -> dict[str, int]:
    """Return how often each word occurs in the text."""
    words = text.lower().split()
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def count_vowels(text: str) -> int:
    """Return the number of vowels in the text."""
    return sum(1 for character in text.lower() if character in "aeiou")


def reverse_words(text: str) -> str:
    """Return the words of the text in reverse order."""
    return " ".join(reversed(text.split()))


def are_anagrams(first: str, second: str) -> bool:
    """Return True if both words consist of the same letters."""
    return Counter(first.lower()) == Counter(second.lower())


def title_case(text: str) -> str:
    """Return the text with a capital letter at the start of each word."""
    return " ".join(word[:1].upper() + word[1:].lower() for word in text.split(" "))


def caesar_cipher(text: str, shift: int) -> str:
    """Return the text with each letter moved by the given number of places in the alphabet."""
    result = []
    for character in text:
        if character.isalpha():
            base = ord("A") if character.isupper() else ord("a")
            result.append(chr((ord(character) - base + shift) % 26 + base))
        else:
            result.append(character)
    return "".join(result)


def run_length_encode(text: str) -> list[tuple[str, int]]:
    """Return the text as a list of pairs of a character and the length of its run."""
    runs = []
    for character in text:
        if runs and runs[-1][0] == character:
            runs[-1] = (character, runs[-1][1] + 1)
        else:
            runs.append((character, 1))
    return runs


def run_length_decode(runs: list[tuple[str, int]]) -> str:
    """Return the text that run_length_encode has encoded."""
    return "".join(character * length for character, length in runs)


def longest_common_prefix(words: list[str]) -> str:
    """Return the longest string that all words begin with."""
    if not words:
        return ""
    prefix = words[0]
    for word in words[1:]:
        while not word.startswith(prefix):
            prefix = prefix[:-1]
    return prefix


def edit_distance(first: str, second: str) -> int:
    """Return the least number of insertions, deletions and substitutions that turn one word into the other."""
    previous = list(range(len(second) + 1))
    for i, a in enumerate(first, start=1):
        current = [i]
        for j, b in enumerate(second, start=1):
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a != b)))
        previous = current
    return previous[-1]


def wrap_lines(text: str, width: int) -> list[str]:
    """Return the text as lines of at most the given width, broken between words."""
    lines = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        lines.append(line)
    return lines
