"""Yrs and Loro behind the same few calls, each made as cheaply as it can be."""

import loro
import pycrdt

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
