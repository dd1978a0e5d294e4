"""Replays an editing trace on Yrs, Loro and Automerge: a JSON object a row and library.

    text.py TRACE [PATCHES]

TRACE is an unpacked trace of one author, PATCHES how many of its patches to replay
(all unless given; each row says how many it was about). Times are nanoseconds, a
patch, a delta or in all as ROWS of texttable.py says. Where a library can write
documents in several formats, the best one for the row counts, and "formats" has each.
"""

import ctypes
import gc
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time

import libraries
import pycrdt
from peers import LEFT, RIGHT, allocated, check, sample

RUNS = 7
# No more samples of a row, once so many seconds went into it. Where one replay takes as
# long, rows that need it again are left out: `edit.each`, and Automerge's `encode`.
PATIENCE = 4

ROOT = "t"


class Trace:
    """What was typed: patches (position, how many scalars to delete, what to insert)."""

    def __init__(self, path, count=None):
        with open(path, encoding="utf-8", newline="\n") as file:
            head, _, body = file.read().partition("\n\n")
        lines = [line for line in head.split("\n") if not line.startswith("#")]
        self.head = dict(line.split(" ", 1) for line in lines)
        if self.head["kind"] != "sequential":
            sys.exit(f"text.py: {path} has several authors: this replays one only")
        patches = [patch for line in body.splitlines() for patch in read(line)]
        check(len(patches) == int(self.head["patches"]))
        # Yrs counts bytes where the trace counts scalars: the same in ASCII alone.
        if not all(inserted.isascii() for _, _, inserted in patches):
            sys.exit(f"text.py: {path} inserts more than ASCII")
        self.patches = patches[:count]
        self.digest = self.head["sha256"]
        if len(self.patches) < len(patches):
            self.digest = digest(self.replayed())

    def replayed(self):
        text = ""
        for position, deleted, inserted in self.patches:
            text = text[:position] + inserted + text[position + deleted :]
        return text


def read(line):
    """The patches of a line."""
    kind, position, rest = line.split(" ", 2)
    position = int(position)
    if kind == "i":
        return [(position, 0, json.loads(rest))]
    if kind == "t":
        return [(position + i, 0, scalar) for i, scalar in enumerate(json.loads(rest))]
    if kind == "d":
        return [(position, int(rest), "")]
    if kind == "b":
        return [(position - i, 1, "") for i in range(int(rest))]
    if kind == "x":
        return [(position, 1, "")] * int(rest)
    if kind == "r":
        deleted, text = rest.split(" ", 1)
        return [(position, int(deleted), json.loads(text))]
    sys.exit(f"text.py: no such line in a trace: {kind}")


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Yrs(libraries.Yrs):
    # Whether encoding a document again costs less than at first.
    keeps_encoded = False

    def __init__(self, replica):
        self.document = pycrdt.Doc(client_id=replica)
        # The compiled ones, as in libraries.py.
        self.text = self.document.get(ROOT, type=pycrdt.Text).integrated
        self.native = self.document._doc

    def edit(self, patches):
        """A transaction a patch: what one transaction did is joined when it ends, and
        until then each edit goes through all of it, which took two minutes in all."""
        self.edit_each(patches)

    def edit_each(self, patches):
        begin, insert, remove = (
            self.native.create_transaction, self.text.insert, self.text.remove_range)
        for position, deleted, inserted in patches:
            transaction = begin()
            if deleted:
                remove(transaction, position, deleted)
            if inserted:
                insert(transaction, position, inserted)
            transaction.commit()
            transaction.drop()

    def keystrokes(self, patches):
        """What an observer is given: `get_update(state)` lists all deletions each time."""
        deltas = []
        subscription = self.native.observe(lambda event: deltas.append(event.update))
        self.edit_each(patches)
        subscription.drop()
        return deltas

    def framed(self, deltas):
        return deltas

    def call(self, patches):
        """A call a patch that does next to nothing: asks for the length."""
        with self.document.transaction() as transaction:
            length, native = self.text.len, transaction._txn
            for position, deleted, inserted in patches:
                length(native)

    def take_in_each(self, deltas):
        begin, apply = self.native.create_transaction, self.native.apply_update
        for delta in deltas:
            transaction = begin()
            apply(transaction, delta)
            transaction.commit()
            transaction.drop()

    def read(self):
        with self.document.transaction() as transaction:
            return self.text.get_string(transaction._txn)


class Loro(libraries.Loro):
    keeps_encoded = True

    def __init__(self, replica):
        super().__init__(replica)
        self.text = self.document.get_text(ROOT)

    def edit(self, patches):
        insert, delete = self.text.insert, self.text.delete
        for position, deleted, inserted in patches:
            if deleted:
                delete(position, deleted)
            if inserted:
                insert(position, inserted)
        self.document.commit()

    def edit_each(self, patches):
        insert, delete, commit = self.text.insert, self.text.delete, self.document.commit
        for position, deleted, inserted in patches:
            if deleted:
                delete(position, deleted)
            if inserted:
                insert(position, inserted)
            commit()

    def keystrokes(self, patches):
        """What a subscriber is given: a little faster than to export since a version."""
        deltas = []

        def keep(update):
            deltas.append(update)
            return True

        subscription = self.document.subscribe_local_update(keep)
        self.edit_each(patches)
        subscription.unsubscribe()
        return deltas

    def framed(self, deltas):
        return deltas

    def take_in_each(self, deltas):
        take_in = self.document.import_
        for delta in deltas:
            take_in(delta)

    def read(self):
        return self.text.to_string()


class Automerge(libraries.Automerge):
    keeps_encoded = True

    def change(self, transaction, patch):
        """The binding has no splice: a call a character."""
        position, deleted, inserted = patch
        for _ in range(deleted):
            transaction.delete(self.text, position)
        kind = libraries.automerge.ScalarType.Str
        for place, character in enumerate(inserted, position):
            transaction.insert(self.text, place, kind, character)

    def begin(self):
        """Makes the text: two that replicas make under one key are two texts."""
        core = libraries.automerge
        with self.document.transaction() as transaction:
            self.text = transaction.put_object(core.ROOT, ROOT, core.ObjType.Text)

    def edit(self, patches):
        self.begin()
        with self.document.transaction() as transaction:
            for patch in patches:
                self.change(transaction, patch)

    def edit_each(self, patches):
        self.begin()
        begin = self.document.transaction
        for patch in patches:
            with begin() as transaction:
                self.change(transaction, patch)

    def keystrokes(self, patches):
        """The bytes of the change that each transaction made; the first has the text's
        making before it, so that the deltas are all there is."""
        version, changes = [], []
        self.begin()
        begin, made = self.document.transaction, self.document.get_changes
        for patch in patches:
            with begin() as transaction:
                self.change(transaction, patch)
            last = made(version)
            changes.append([change.raw_bytes for change in last])
            version = [last[-1].hash]
        return [b"".join(change) for change in changes]

    def framed(self, deltas):
        """As sync messages, in which alone the binding takes changes in."""
        changes = [change.raw_bytes for change in self.document.get_changes([])]
        check(len(changes) == len(deltas) + 1)
        return [message(changes[:2])] + [message([change]) for change in changes[2:]]

    def take_in_each(self, messages):
        core = libraries.automerge
        take_in, decode, state = (
            self.document.receive_sync_message, core.Message.decode, core.SyncState())
        for data in messages:
            take_in(state, decode(data))

    def read(self):
        kind, text = self.document.get(libraries.automerge.ROOT, ROOT)
        return self.document.text(text)


def message(changes):
    parts = [bytes([libraries.SYNC_MESSAGE, 0, 0, 0]), libraries.leb128(len(changes))]
    for change in changes:
        parts += [libraries.leb128(len(change)), change]
    return b"".join(parts)


class Job:
    def __init__(self, library, trace):
        self.library, self.trace = library, trace
        self.count = len(trace.patches)

    def run(self):
        edited = self.edit()
        self.sizes("bytes", edited)
        self.encode(edited)
        documents = {format: edited.encode(format) for format in edited.formats}
        self.decode("decode", documents, reads=False)
        self.decode("decode+read", documents, reads=True)
        self.memory(documents)
        del edited, documents
        typed = self.keystrokes()
        self.sizes("bytes.keystrokes", typed)
        documents = {format: typed.encode(format) for format in typed.formats}
        self.decode("decode+read.keystrokes", documents, reads=True)

    def report(self, row, value, format=None, formats=None):
        line = {
            "row": row, "library": self.library.name, "value": value, "format": format,
            "patches": self.count}
        if formats and len(formats) > 1:
            line["formats"] = formats
        print(json.dumps(line), flush=True)

    def best(self, row, formats):
        format = min(formats, key=formats.get)
        self.report(row, formats[format], format, formats)

    def checked(self, document):
        check(digest(document.read()) == self.trace.digest)
        return document

    def median(self, prepare, work):
        """Of as many samples as there is patience for, the first of them to warm up."""
        start, times = time.monotonic(), []
        while len(times) <= RUNS and (not times or time.monotonic() - start < PATIENCE):
            times.append(sample(prepare, work))
        return statistics.median(times[1:] or times)

    def edit(self):
        """Each patch as one edit; gives the document."""
        kept = []

        def fresh():
            kept[:] = [self.library(LEFT)]
            return kept[0]

        # The calls, of which one a patch is counted here: see peers.py.
        calls = self.median(lambda: Yrs(LEFT), lambda d: d.call(self.trace.patches))
        before = allocated()
        time = sample(fresh, lambda d: d.edit(self.trace.patches))
        if before is not None:
            self.report("memory.edited", (allocated() - before) / len(kept[0].read()))
        self.is_slow = time > PATIENCE * 1e9
        if not self.is_slow:
            time = self.median(fresh, lambda d: d.edit(self.trace.patches))
        self.report("edit", time / self.count)
        self.report("edit.calls", calls / self.count)
        self.report("edit.less", (time - calls) / self.count)
        edited = self.checked(kept[0])
        if self.library is Yrs:  # They are one there.
            self.report("edit.each", time / self.count)
        elif not self.is_slow:
            time = self.median(fresh, lambda d: d.edit_each(self.trace.patches))
            self.checked(kept.pop())
            self.report("edit.each", time / self.count)
        return edited

    def keystrokes(self):
        """Each patch as one edit and its delta, and these taken in; gives the document."""
        document, deltas = self.library(LEFT), []
        time = sample(lambda: document, lambda d: deltas.extend(d.keystrokes(self.trace.patches)))
        check(len(deltas) == self.count)
        self.report("keystroke", time / self.count)
        self.report("keystroke.bytes", sum(map(len, deltas)) / self.count)
        taken, framed = self.library(RIGHT), self.checked(document).framed(deltas)
        time = sample(lambda: taken, lambda d: d.take_in_each(framed))
        self.checked(taken)
        self.report("delta.apply", time / self.count)
        return document

    def sizes(self, row, document):
        self.best(row, {format: len(document.encode(format)) for format in document.formats})

    def encode(self, edited):
        def built():
            if not self.library.keeps_encoded:
                return edited
            document = self.library(LEFT)
            document.edit(self.trace.patches)
            return document

        def loaded(data):
            document = self.library(LEFT)
            document.take_in(data)
            return document

        formats = self.library.formats
        if not (self.is_slow and self.library.keeps_encoded):
            self.best("encode", {
                format: self.median(built, lambda d: d.encode(format)) for format in formats})
        self.best("encode.loaded", {
            format: self.median(
                lambda: loaded(edited.encode(format)), lambda d: d.encode(format))
            for format in formats})

    def decode(self, row, documents, reads):
        def work(document, data):
            document.take_in(data)
            return document.read() if reads else None

        times = {}
        for format, data in documents.items():
            document = self.library(RIGHT)
            document.take_in(data)
            self.checked(document)
            times[format] = self.median(lambda: self.library(RIGHT), lambda d: work(d, data))
        self.best(row, times)

    def memory(self, documents):
        """What a process of its own needs more, a character, once a document is decoded,
        and once it was read, too: pages in use; what is free went back to the system."""
        found = {format: self.measured(data) for format, data in documents.items()}
        for row in ["memory.loaded", "memory.read"]:
            values = {format: rows[row] for format, rows in found.items() if row in rows}
            if values:
                self.best(row, values)

    def measured(self, data):
        command = [sys.executable, __file__, "--memory", self.library.name]
        result = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True)
        return json.loads(result.stdout)


def measure_memory(library, data):
    """The child's side of Job.memory."""
    # A character in each format first, to have in memory what any document needs.
    small = library(LEFT)
    small.edit([(0, 0, "a")])
    for format in library.formats:
        other = library(RIGHT)
        other.take_in(small.encode(format))
        check(other.read() == "a")
    document, rows = library(RIGHT), {}
    before = resident()
    document.take_in(data)
    loaded = resident()
    length = len(document.read())
    if before is not None:
        rows["memory.loaded"] = (loaded - before) / length
        rows["memory.read"] = (resident() - before) / length
    print(json.dumps(rows))


def resident():
    """Bytes of the process in memory, less what is free; None where one can't ask."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError):
        return None


LIBRARIES = (Yrs, Loro, Automerge) if libraries.automerge else (Yrs, Loro)


def main(arguments):
    if arguments[0] == "--memory":
        library = next(library for library in LIBRARIES if library.name == arguments[1])
        measure_memory(library, sys.stdin.buffer.read())
        return
    trace = Trace(arguments[0], *map(int, arguments[1:2]))
    for library in LIBRARIES:
        Job(library, trace).run()


if __name__ == "__main__":
    main(sys.argv[1:])
