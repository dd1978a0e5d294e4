"""Joins our rows with the peers' into one table."""

import json
import sys

# Our row, what it is called, and the peers' row where that has another name.
ROWS = [
    ("build", "build in one edit", "build"),
    ("build", "the same, less their calls", "build.less"),
    ("encode", "encode all, just built", None),
    ("encode.loaded", "encode all, just loaded", None),
    ("load", "take in all into an empty one", None),
    ("load+size", "take in all, then read the size", None),
    ("load+lookup", "take in all, then look one up", None),
    ("merge.disjoint", "merge, disjoint keys", None),
    ("merge.disjoint+lookup", "merge, disjoint keys, then look one up", None),
    ("merge.same", "merge, same keys", None),
    ("merge.same+lookup", "merge, same keys, then look one up", None),
    ("known", "take in what is known, in all", None),
    ("delta100.encode", "delta of 100 keys: encode, in all", None),
    ("delta100.apply", "delta of 100 keys: apply, in all", None),
    ("delta100.apply+lookup", "the same, then look one up", None),
    ("bytes", "bytes a key", None),
    ("bytes.shuffled", "bytes a key, written in random order", None),
    ("bytes.overwritten", "bytes a key after 10 overwrites", None),
    ("bytes.deleted", "bytes a key after deleting all", None),
    ("memory", "memory a key", None),
]
PREFIX = "document.map."
TIMES_YRS = 5


def shown(value, is_time):
    if value is None:
        return "-"
    if not is_time:
        return f"{value:,.1f} B" if value >= 0.05 else f"{value:.4f} B"
    for unit in ["ns", "\u00b5s", "ms"]:
        if value < 1000:
            return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
        value /= 1000
    return f"{value:.2f} s"


def ratio(ours, theirs):
    if theirs is None or not theirs:
        return "-"
    value = ours / theirs
    return f"{value:.2f}" if value >= 0.5 else f"1/{1 / value:.{1 if value > 0.1 else 0}f}"


def verdict(is_met):
    return "-" if is_met is None else "yes" if is_met else "NO"


def lines(ours, peers):
    yield ["row", "ours", "Yrs", "Loro", "Loro's format", "Automerge", "ours/best",
           "ours/Yrs", "beats all", f"{TIMES_YRS}x Yrs"]
    for row, title, peer_row in ROWS:
        own = ours.get(PREFIX + row)
        if own is None:
            continue
        value, is_time = own["value"], own["unit"] == "ns"
        yrs, loro, automerge = (
            peers.get((peer_row or row, name), {}) for name in ("yrs", "loro", "automerge"))
        known = [peer["value"] for peer in (yrs, loro, automerge) if "value" in peer]
        best, other = min(known, default=None), yrs.get("value")
        yield [
            title, shown(value, is_time), shown(other, is_time),
            shown(loro.get("value"), is_time), loro.get("format") or "",
            shown(automerge.get("value"), is_time),
            ratio(value, best), ratio(value, other),
            verdict(best is not None and value < best if known else None),
            verdict(value * TIMES_YRS <= other if is_time and other else None),
        ]


def main(own_path, peer_path):
    with open(own_path) as file:
        own_rows = [json.loads(line) for line in file]
    ours = {row["name"]: row for row in own_rows}
    with open(peer_path) as file:
        rows = [json.loads(line) for line in file]
    peers = {(row["row"], row["library"]): row for row in rows}
    count = own_rows[0]["n"]
    print(f"{count:,} keys, medians; times a key unless it says: in all\n")
    table = list(lines(ours, peers))
    widths = [max(len(cells[place]) for cells in table) for place in range(len(table[0]))]
    table.insert(1, ["-" * width for width in widths])
    for cells in table:
        padded = [
            cell.ljust(width) if place in (0, 4) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths))
        ]
        print("  ".join(padded).rstrip())
    calls = peers.get(("build.calls", "yrs"))
    if calls:
        print(f"\nA call from Python, as subtracted: {calls['value']:.0f} ns a key.")


if __name__ == "__main__":
    main(*sys.argv[1:])
