"""Text: counting, changing case, comparing, cutting."""

import difflib
import re
import textwrap
from collections import Counter


def count_words(text: str) -> str:
    """Count the words, characters and lines of a text."""
    return f"{len(text.split())} words, {len(text)} characters, {len(text.splitlines())} lines"


def word_frequency(text: str, top: int = 10) -> str:
    """The most frequent words of a text and how often each occurs."""
    counted = Counter(re.findall(r"\w+", text.lower())).most_common(top)
    return "\n".join(f"{count} {word}" for word, count in counted)


def to_snake_case(name: str) -> str:
    """Turn a name such as HelloWorld or hello-world into hello_world."""
    return "_".join(_parts(name))


def to_camel_case(name: str) -> str:
    """Turn a name such as hello_world into helloWorld."""
    first, *rest = _parts(name) or [""]
    return first + "".join(part.capitalize() for part in rest)


def to_kebab_case(name: str) -> str:
    """Turn a name such as HelloWorld into hello-world."""
    return "-".join(_parts(name))


def to_title_case(text: str) -> str:
    """Write each word of a text with a capital letter."""
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


def slugify(text: str) -> str:
    """Make a text fit for a web address: lower case, hyphens, nothing else."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def reverse_text(text: str) -> str:
    """Write a text backwards."""
    return text[::-1]


def wrap_text(text: str, width: int = 80) -> str:
    """Break a text into lines of at most this many characters."""
    return "\n".join(textwrap.fill(line, width) for line in text.splitlines())


def compare_texts(before: str, after: str) -> str:
    """Show the difference between two texts line by line, as a unified diff."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm="")
    return "\n".join(lines) or "no difference"


def similarity(first: str, second: str) -> str:
    """How alike two texts are, from 0 to 100 per cent."""
    return f"{100 * difflib.SequenceMatcher(None, first, second).ratio():.1f} %"


def find_pattern(text: str, pattern: str) -> str:
    """List all places in a text that match a regular expression."""
    return "\n".join(f"{match.start()}: {match.group()}" for match in re.finditer(pattern, text)) or "no match"


def replace_text(text: str, old: str, new: str) -> str:
    """Replace every occurrence of one piece of text by another."""
    return text.replace(old, new)


def is_palindrome(text: str) -> bool:
    """Whether a text reads the same backwards, letters and digits only."""
    plain = re.sub(r"\W", "", text.lower())
    return plain == plain[::-1]


def is_anagram(first: str, second: str) -> bool:
    """Whether two texts consist of the same letters."""
    return Counter(re.sub(r"\W", "", first.lower())) == Counter(re.sub(r"\W", "", second.lower()))


def extract_addresses(text: str) -> str:
    """Find the e-mail addresses and web links in a text."""
    return "\n".join(re.findall(r"[\w.+-]+@[\w-]+\.[\w.-]+|https?://\S+", text)) or "none"


def _parts(name: str) -> list[str]:
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]
