"""Recall and false answers on the small public set of `data/` (see its README)."""

import json
from pathlib import Path
from statistics import fmean
from typing import Any

from hermes_lite.evals.retrieval import all_tiers, confident
from tests.support.promises import promise

DATA = Path(__file__).parent / "data"


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@promise("RANK-GATE")
def test_recall_and_false_answers_hold() -> None:
    tools, queries = _read("tools.jsonl"), _read("queries.jsonl")
    every, sure = all_tiers(tools), confident(tools)
    asked = [query for query in queries if query["relevant"]]
    recalls = [
        fmean(len({*search(q["query"], 5)} & {*q["relevant"]}) / len(q["relevant"]) for q in asked)
        for search in (every, sure)
    ]
    false = fmean(bool(sure(q["query"], 5)) for q in queries if not q["relevant"])
    assert recalls[0] >= 0.95
    assert recalls[1] >= 0.85
    assert false <= 0.10
