"""Reads and updates records in SQLite: nanoseconds a record, the medians of eleven rounds.

Usage: records.py FOLDER, where the databases go. The records and the order of the
updates are those of the rows document.model.read and store.update.relaxed.
"""

import os
import random
import sqlite3
import statistics
import sys
import time

RECORDS, READS, UPDATES, ROUNDS = 1_000, 20_000, 20_000, 11
# The values of Inputs/Profile.swift: the address is three columns, the tags are JSON.
PROFILE = {
    "name": "Kari Nordmann", "email": "kari@example.org", "phone": "+47 22 22 22 22",
    "bio": "Writes about lakes.", "language": "nb", "zone": "Europe/Oslo", "age": 41,
    "visits": 1_203, "height": 1.71, "isActive": True, "isAdmin": False, "plan": "free",
    "street": "Storgata 12", "city": "Oslo", "zip": 155, "manager": None, "score": 12.5,
    "created": 1_750_000_000, "updated": 1_760_000_000, "tags": '["water","maps"]',
    "colour": "blue", "note": 0,
}
# The values of Inputs/Card.swift.
CARD = {"title": "", "body": "There was a lake.", "tags": '["story"]', "likes": 0}


def table(folder, name, ids, record):
    """A database whose commits don't wait for the disk: only a checkpoint does."""
    database = sqlite3.connect(os.path.join(folder, f"{name}.db"), isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    columns = ", ".join(record)
    database.execute(f"CREATE TABLE {name} (id TEXT PRIMARY KEY, {columns}) WITHOUT ROWID")
    places = ", ".join("?" * (len(record) + 1))
    database.execute("BEGIN")
    database.executemany(
        f"INSERT INTO {name} VALUES ({places})", [(id, *record.values()) for id in ids])
    database.execute("COMMIT")
    return database


def median(count, work):
    """Nanoseconds of a piece of work, by the clock, after a round of warm-up."""
    times = []
    for _ in range(ROUNDS + 1):
        begin = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - begin) / count)
    return statistics.median(times[1:])


def reading(folder):
    ids = [f"p{number}" for number in range(RECORDS)]
    database = table(folder, "profiles", ids, PROFILE)
    asked = [(id,) for id in random.Random(1).choices(ids, k=READS)]

    def read():
        execute = database.execute
        for id in asked:
            if execute("SELECT * FROM profiles WHERE id = ?", id).fetchone() is None:
                sys.exit("records.py: a record is missing")
    return median(READS, read)


def updating(folder):
    ids = [f"{number:06d}" for number in range(RECORDS)]
    database = table(folder, "cards", ids, CARD)
    # Each statement is a transaction of its own.
    changes = [(f"Changed {number}", ids[number * 7_919 % RECORDS]) for number in range(UPDATES)]

    def update():
        execute = database.execute
        for change in changes:
            execute("UPDATE cards SET title = ? WHERE id = ?", change)
    return median(UPDATES, update)


if __name__ == "__main__":
    print(f"read {reading(sys.argv[1]):.0f}")
    print(f"update {updating(sys.argv[1]):.0f}")
