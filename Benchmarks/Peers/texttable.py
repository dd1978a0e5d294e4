"""Joins our rows text.* with those of text.py into one table; without ours, theirs alone."""

import json
import sys

from table import ratio, shown

# The row, what it is called, and whether it is a time.
ROWS = [
    ("edit", "each patch an edit, a patch", True),
    ("edit.less", "the same, less their calls", True),
    ("edit.each", "each patch a commit of its own", True),
    ("keystroke", "each patch and its delta, a patch", True),
    ("keystroke.bytes", "bytes a delta", False),
    ("delta.apply", "the deltas applied, a delta", True),
    ("encode", "encode all, just built, in all", True),
    ("encode.loaded", "encode all, just loaded, in all", True),
    ("decode", "decode all, in all", True),
    ("decode+read", "decode all and read the string", True),
    ("decode+read.keystrokes", "the same, of a commit a patch", True),
    ("bytes", "bytes in all", False),
    ("bytes.keystrokes", "bytes in all, of a commit a patch", False),
    ("memory.edited", "memory a character, edited", False),
    ("memory.loaded", "memory a character, decoded", False),
    ("memory.read", "memory a character, and read", False),
]
PREFIX = "text."
# Our row that stands beside theirs, where it has another name: ours knows no commits, so that
# a document is the same however its edits were gathered.
OURS = {
    "edit.less": "edit", "edit.each": "edit", "bytes.keystrokes": "bytes",
    "decode+read.keystrokes": "decode+read"}
PEERS = ["yrs", "loro", "automerge"]


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def lines(ours, peers):
    yield ["row", "ours", "Yrs", "Loro", "Automerge", "ours/best", "ours/Yrs", "ours/Loro"]
    for row, title, is_time in ROWS:
        own = ours.get(PREFIX + OURS.get(row, row), {}).get("value")
        theirs = [peers.get((row, name), {}).get("value") for name in PEERS]
        best = min((value for value in theirs if value is not None), default=None)
        yield [title] + [shown(value, is_time) for value in [own] + theirs] + [
            "-" if own is None else ratio(own, other) for other in (best, theirs[0], theirs[1])]


def show(table):
    widths = [max(map(len, column)) for column in zip(*table)]
    for place, cells in enumerate(table):
        first, *rest = zip(cells, widths)
        padded = [first[0].ljust(first[1])] + [cell.rjust(width) for cell, width in rest]
        print("  ".join(padded).rstrip())
        if place == 0:
            print("  ".join("-" * width for width in widths))


def main(own_path, peer_path):
    ours = {row["name"]: row for row in read(own_path)}
    rows = read(peer_path)
    peers = {(row["row"], row["library"]): row for row in rows}
    print(f"{rows[0]['patches']:,} patches, medians\n")
    show(list(lines(ours, peers)))
    print("\nBy format, the best of which stands above:\n")
    for row, title, is_time in ROWS:
        for name in PEERS:
            found = peers.get((row, name), {}).get("formats", {})
            if found:
                each = ", ".join(f"{key} {shown(found[key], is_time)}" for key in found)
                print(f"{title}, {name}: {each}")
    calls = peers.get(("edit.calls", "yrs"))
    if calls:
        print(f"\nA call from Python, as subtracted: {calls['value']:.0f} ns a patch.")


if __name__ == "__main__":
    main(*sys.argv[1:])
