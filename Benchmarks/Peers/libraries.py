"""Yrs, Loro and Automerge behind the same few calls, each made as cheaply as it can be."""

import loro
import pycrdt

try:
    from automerge import core as automerge
except ImportError:  # What is pinned can't be had for each Python.
    automerge = None

ROOT = "m"


class Yrs:
    name = "yrs"
    # How a whole document can be written; all of them, and those that also merge
    # into a document that is not empty.
    formats = merging_formats = ["update"]

    def __init__(self, replica):
        self.document = pycrdt.Doc(client_id=replica)
        self.map = self.document.get(ROOT, type=pycrdt.Map)

    def write(self, pairs):
        # The compiled method itself: `map[key] = value` runs Python code a key,
        # which takes as long again.
        with self.document.transaction() as transaction:
            insert, native = self.map.integrated.insert, transaction._txn
            for key, value in pairs:
                insert(native, key, value)

    def remove(self, keys):
        with self.document.transaction() as transaction:
            remove, native = self.map.integrated.remove, transaction._txn
            for key in keys:
                remove(native, key)

    def call(self, pairs):
        """A call a key that does next to nothing: asks an empty map for it."""
        with self.document.transaction() as transaction:
            has, native = self.map.integrated.has, transaction._txn
            for key, value in pairs:
                has(native, key)

    def encode(self, format):
        return self.document.get_update()

    def take_in(self, data):
        self.document.apply_update(data)

    def size(self):
        return len(self.map)

    def look_up(self, key):
        return self.map[key]

    def version(self):
        return self.document.get_state()

    def delta(self, version):
        return self.document.get_update(version)


class Loro:
    name = "loro"
    formats = ["updates", "snapshot", "state"]
    merging_formats = ["updates", "snapshot"]

    def __init__(self, replica):
        self.document = loro.LoroDoc()
        self.document.peer_id = replica

    def write(self, pairs):
        insert = self.document.get_map(ROOT).insert
        for key, value in pairs:
            insert(key, value)
        self.document.commit()

    def remove(self, keys):
        delete = self.document.get_map(ROOT).delete
        for key in keys:
            delete(key)
        self.document.commit()

    def encode(self, format):
        if format == "snapshot":
            mode = loro.ExportMode.Snapshot()
        elif format == "state":
            mode = loro.ExportMode.StateOnly(None)
        else:
            mode = loro.ExportMode.Updates(loro.VersionVector())
        return self.document.export(mode)

    def take_in(self, data):
        self.document.import_(data)

    def size(self):
        return len(self.document.get_map(ROOT))

    def look_up(self, key):
        found = self.document.get_map(ROOT).get(key)
        return found and found.value

    def version(self):
        return self.document.oplog_vv

    def delta(self, version):
        return self.document.export(loro.ExportMode.Updates(version))


class Automerge:
    name = "automerge"
    # A document, or the changes since a version as its sync messages carry them.
    formats = merging_formats = ["save", "changes"]

    def __init__(self, replica):
        self.document = automerge.Document(replica.to_bytes(16, "big"))

    # The map is the root: maps that two replicas make under one key are two maps,
    # of which a merge shows one.
    def write(self, pairs):
        with self.document.transaction() as transaction:
            put, root, kind = transaction.put, automerge.ROOT, automerge.ScalarType.Str
            for key, value in pairs:
                put(root, key, kind, value)

    def remove(self, keys):
        with self.document.transaction() as transaction:
            delete, root = transaction.delete, automerge.ROOT
            for key in keys:
                delete(root, key)

    def encode(self, format):
        return self.document.save() if format == "save" else self.delta([])

    def take_in(self, data):
        if data[0] == SYNC_MESSAGE:
            message = automerge.Message.decode(data)
            self.document.receive_sync_message(automerge.SyncState(), message)
        elif self.document.get_heads():
            self.document.merge(automerge.Document.load(data))
        else:
            self.document = automerge.Document.load(data)

    def size(self):
        return self.document.length(automerge.ROOT)

    def look_up(self, key):
        found = self.document.get(automerge.ROOT, key)
        return found and found[0][1]

    def version(self):
        return self.document.get_heads()

    def delta(self, version):
        """A sync message of changes alone: the binding takes them in in no other way."""
        changes = [change.raw_bytes for change in self.document.get_changes(version)]
        parts = [bytes([SYNC_MESSAGE, 0, 0, 0]), leb128(len(changes))]
        for change in changes:
            parts += [leb128(len(change)), change]
        return b"".join(parts)


# The first byte of a sync message; then come counts of heads, needs and haves.
SYNC_MESSAGE = 0x42


def leb128(number):
    """A whole number as sync messages write it: seven bits a byte, the low ones first."""
    result = bytearray()
    while number >= 0x80:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)


LIBRARIES = (Yrs, Loro, Automerge) if automerge else (Yrs, Loro)
