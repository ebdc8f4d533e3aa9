"""Lists and tables of text."""

import csv
import io
import json


def sort_lines(lines: list[str], descending: bool = False) -> list[str]:
    """Sort lines by the alphabet, upper and lower case alike."""
    return sorted(lines, key=str.casefold, reverse=descending)


def sort_numbers(numbers: list[float], descending: bool = False) -> list[float]:
    """Sort numbers by size."""
    return sorted(numbers, reverse=descending)


def unique_items(items: list[str]) -> list[str]:
    """Remove duplicates from a list and keep the order."""
    return list(dict.fromkeys(items))


def common_items(first: list[str], second: list[str]) -> list[str]:
    """The items that two lists have in common."""
    return [item for item in dict.fromkeys(first) if item in second]


def missing_items(first: list[str], second: list[str]) -> list[str]:
    """The items of the first list that the second does not have."""
    return [item for item in dict.fromkeys(first) if item not in second]


def chunk_list(items: list[str], size: int) -> list[list[str]]:
    """Split a list into pieces of a given size."""
    if size < 1:
        raise ValueError("the size is at least 1")
    return [items[start : start + size] for start in range(0, len(items), size)]


def csv_to_json(text: str) -> str:
    """Turn a CSV table with a heading line into JSON objects."""
    return json.dumps(list(csv.DictReader(io.StringIO(text))), ensure_ascii=False)


def json_to_csv(text: str) -> str:
    """Turn a JSON list of objects into a CSV table."""
    rows = json.loads(text)
    out = io.StringIO()
    writer = csv.DictWriter(
        out, fieldnames=list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def format_json(text: str) -> str:
    """Check JSON and write it indented, with sorted keys."""
    return json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False)


def query_json(text: str, path: str) -> str:
    """Pick one value out of JSON by a path such as users.0.name."""
    value = json.loads(text)
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return json.dumps(value, ensure_ascii=False)
