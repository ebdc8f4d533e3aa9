"""What of a tool's result reaches the model: secrets go, huge text is folded to its ends and kept whole in a file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_lite.text import clean_surrogates, cut, utf8

HEAD_SHARE = 0.7
HIDDEN = "[secret]"


@dataclass(frozen=True, slots=True)
class Shelf:
    """Keeps full results under `folder`, one file a call. `limit` is in characters; `secrets` never pass."""

    folder: Path
    limit: int
    secrets: Sequence[str] = ()

    def fit(self, call_id: str, text: str) -> str:
        """`text` as the model may read it: clean, redacted, at most `limit` characters plus one marker line."""
        text = self.redact(clean_surrogates(text))
        if len(text) <= self.limit:
            return text
        room = int(self.limit * HEAD_SHARE)
        head, tail = cut(text, room, mark=""), text[len(text) - (self.limit - room) :]
        left_out = len(text) - len(head) - len(tail)
        return f"{head}\n[... {left_out:,} characters left out; {self._keep(call_id, text)} ...]\n{tail}"

    def redact(self, text: str) -> str:
        """`text` without a secret, as it is or as it stands in JSON."""
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN).replace(json.dumps(secret)[1:-1], HIDDEN)
        return text

    def _keep(self, call_id: str, text: str) -> str:
        name = "".join(char if char.isalnum() else "_" for char in call_id)[:80]
        file = self.folder / f"{name}.txt"
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            file.write_bytes(utf8(text))
        except OSError as error:
            return f"the whole could not be kept: {error.strerror}"
        return f"the whole is in {file}"
