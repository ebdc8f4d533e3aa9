"""Runs the real command in a home and a working folder of the test: in a process of its own, or in this one."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from hermes_lite.__main__ import main

LIMIT = 50.0


def run_here(
    *words: str, cwd: Path | None = None, input: str = "", **environ: str
) -> "subprocess.CompletedProcess[str]":
    """The command as `main` runs it, in this process: without the price of one of its own."""
    output, errors = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        for name, value in {"COLUMNS": "80", **environ}.items():
            patch.setenv(name, value)
        patch.chdir(cwd or Path.cwd())
        patch.setattr(sys, "argv", ["hermes-lite", *words])
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(input.encode())))
        with pytest.raises(SystemExit) as ended:
            main()
    return subprocess.CompletedProcess(words, int(ended.value.code or 0), output.getvalue(), errors.getvalue())


@dataclass(frozen=True)
class Shell:
    """`home` is `$HERMES_LITE_HOME`, `cwd` the working folder, `env` what else the process sees."""

    home: Path
    cwd: Path
    env: Mapping[str, str]

    def __call__(
        self, *args: str, input: str = "", env: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        return self._run(self.command(*args), input, env)

    def python(self, *args: str) -> "subprocess.CompletedProcess[str]":
        """Another Python program in the same surroundings."""
        return self._run((sys.executable, *args), "", None)

    def _run(
        self, command: Sequence[str], input: str, env: Mapping[str, str] | None
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            input=input,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=self.cwd,
            env=self.environ(env),
            timeout=LIMIT,
            check=False,
        )

    def json(self, *args: str, input: str = "") -> Any:
        run = self(*args, input=input)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    def command(self, *args: str) -> Sequence[str]:
        return (sys.executable, "-m", "hermes_lite", *args)

    def environ(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL") if name in os.environ}
        return {**kept, "HERMES_LITE_HOME": str(self.home), "PYTHONUTF8": "1", **self.env, **(more or {})}

    def configure(self, config: Mapping[str, Any]) -> None:
        """Write the user's configuration; JSON is YAML."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "config.yaml").write_text(json.dumps(config, indent=1), encoding="utf-8")

    def session_records(self) -> list[dict[str, Any]]:
        """The records of the only session file."""
        (file,) = (self.home / "sessions").glob("*.jsonl")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


class ShellHere(Shell):
    """The same commands in this process, where nothing depends on one of their own."""

    def __call__(
        self, *args: str, input: str = "", env: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        environ = {"HERMES_LITE_HOME": str(self.home), **self.env, **(env or {})}
        return run_here(*args, cwd=self.cwd, input=input, **environ)


def shell_in(folder: Path, kind: type[Shell] = Shell) -> Shell:
    """A shell whose home and working folder stand in `folder`; it finds no local model server."""
    work = folder / "work"
    work.mkdir()
    return kind(folder / "home", work, {"HERMES_LITE__MODEL__LOCAL_SERVERS": "[]"})
