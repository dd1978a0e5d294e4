"""Runs the map job on Yrs, Loro and Automerge: a JSON object a row and library.

Times are nanoseconds, a key or in all as the row of the same name in
crdt-benchmark's table; Benchmarks/README.md says what each row is. Where a
library can write documents in several formats, the best one for the row counts.
"""

import ctypes
import gc
import json
import statistics
import sys
import time

import mapjob
from libraries import LIBRARIES, Yrs

LEFT, RIGHT = 1, 2
STEPS = 60


def sample(prepare, work):
    """Nanoseconds of work: the lesser of the clock's and the processor's time."""
    state = prepare()
    gc.collect()
    gc.disable()
    wall, processor = time.perf_counter_ns(), time.process_time_ns()
    result = work(state)
    processor, wall = time.process_time_ns() - processor, time.perf_counter_ns() - wall
    gc.enable()
    del result, state
    return min(wall, processor)


class Job:
    def __init__(self, library, count):
        self.library, self.count = library, count
        self.runs = 7 if count <= 200_000 else 3
        self.pairs = mapjob.pairs(count)
        self.known = self.pairs[count // 2][0]

    def run(self):
        self.memory()
        self.sizes()
        self.build()
        self.encode()
        self.load()
        self.take_in_known()
        self.merge("disjoint", mapjob.pairs(self.count, first=self.count))
        self.merge("same", mapjob.pairs(self.count, round=1))
        self.deltas()

    def report(self, row, value, format=None):
        line = {"row": row, "library": self.library.name, "value": value, "format": format}
        print(json.dumps(line), flush=True)

    def median(self, prepare, work):
        sample(prepare, work)
        return statistics.median(sample(prepare, work) for _ in range(self.runs))

    def best(self, row, formats, measure, unit):
        value, format = min((measure(format), format) for format in formats)
        self.report(row, value / unit, format)

    def written(self, replica, pairs):
        document = self.library(replica)
        document.write(pairs)
        return document

    def loaded(self, data):
        document = self.library(LEFT + 2)
        document.take_in(data)
        return document

    def in_use(self, data):
        document = self.loaded(data)
        check(document.look_up(self.known))
        return document

    def memory(self):
        before = allocated()
        document = self.written(LEFT, self.pairs)
        check(document.look_up(self.known))
        if before is not None:
            self.report("memory", (allocated() - before) / self.count)

    def sizes(self):
        def shortest(row, document):
            self.best(row, document.formats, lambda f: len(document.encode(f)), self.count)

        shortest("bytes", self.written(LEFT, self.pairs))
        order = mapjob.shuffled(self.count)
        shortest("bytes.shuffled", self.written(LEFT, [self.pairs[i] for i in order]))
        document = self.written(LEFT, self.pairs)
        for round in range(1, 11):
            document.write(mapjob.pairs(self.count, round=round))
        shortest("bytes.overwritten", document)
        document = self.written(LEFT, self.pairs)
        document.remove([key for key, _ in self.pairs])
        check(document.size() == 0)
        shortest("bytes.deleted", document)

    def build(self):
        build = self.median(lambda: self.library(LEFT), lambda d: d.write(self.pairs))
        # All bindings are made with the same tool: a call costs about the same.
        calls = self.median(lambda: Yrs(LEFT), lambda d: d.call(self.pairs))
        self.report("build", build / self.count)
        self.report("build.calls", calls / self.count)
        self.report("build.less", (build - calls) / self.count)

    def encode(self):
        def built(format):
            return self.median(
                lambda: self.written(LEFT, self.pairs), lambda d: d.encode(format))

        def loaded(format):
            data = self.written(LEFT, self.pairs).encode(format)
            return self.median(lambda: self.loaded(data), lambda d: d.encode(format))

        self.best("encode", self.library.formats, built, self.count)
        self.best("encode.loaded", self.library.formats, loaded, self.count)

    def load(self):
        asks = {
            "load": lambda d: None,
            "load+size": lambda d: d.size(),
            "load+lookup": lambda d: d.look_up(self.known),
        }
        built = self.written(LEFT, self.pairs)
        for row, ask in asks.items():
            def measure(format):
                data = built.encode(format)
                check(self.loaded(data).size() == self.count)

                def work(document):
                    document.take_in(data)
                    return ask(document)
                return self.median(lambda: self.library(RIGHT), work)
            self.best(row, self.library.formats, measure, self.count)

    def take_in_known(self):
        built = self.written(LEFT, self.pairs)

        def measure(format):
            data = built.encode(format)
            return self.median(lambda: self.in_use(data), lambda d: d.take_in(data))
        self.best("known", self.library.formats, measure, 1)

    def merge(self, name, pairs):
        left = self.written(LEFT, self.pairs).encode(self.library.formats[0])
        right = self.written(RIGHT, pairs)
        expected = len({key for key, _ in self.pairs + pairs})
        asked = pairs[len(pairs) // 2][0]
        for suffix in ["", "+lookup"]:
            def measure(format):
                data = right.encode(format)
                merged = self.in_use(left)
                merged.take_in(data)
                check(merged.size() == expected)

                def work(document):
                    document.take_in(data)
                    return document.look_up(asked) if suffix else None
                return self.median(lambda: self.in_use(left), work)
            self.best(
                f"merge.{name}{suffix}", self.library.merging_formats, measure, self.count)

    def deltas(self):
        batches = mapjob.batches(self.count, STEPS)
        data = self.written(LEFT, self.pairs).encode(self.library.formats[0])
        peer, deltas = self.in_use(data), []
        for step, batch in enumerate(batches):
            version = peer.version()
            peer.write(batch)
            deltas.append(peer.delta(version))
            if step == 0:
                encode = self.median(lambda: peer, lambda d: d.delta(version))
                self.report("delta100.encode", encode)
        for suffix in ["", "+lookup"]:
            document, times = self.in_use(data), []
            for delta, batch in zip(deltas, batches):
                def work(document):
                    document.take_in(delta)
                    return document.look_up(batch[0][0]) if suffix else None
                times.append(sample(lambda: document, work))
            check(document.size() == self.count + STEPS * mapjob.DELTA_SIZE // 2)
            check(document.look_up(batches[-1][1][0]) == batches[-1][1][1])
            self.report(f"delta100.apply{suffix}", statistics.median(times))


def check(is_so):
    if not is_so:
        sys.exit("peers.py: a library came to another result than it must")


class MallocInfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
            "uordblks", "fordblks", "keepcost")
    ]


def allocated():
    """Bytes that were allocated and not freed; None where one can't ask."""
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError):
        return None
    ask.restype = MallocInfo
    gc.collect()
    info = ask()
    return info.uordblks + info.hblkhd


if __name__ == "__main__":
    for library in LIBRARIES:
        Job(library, int(sys.argv[1])).run()
