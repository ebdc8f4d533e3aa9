"""The command tree. Each group lives in its own file and is imported only when it is named."""


def main() -> None:
    raise SystemExit("nothing here yet")
