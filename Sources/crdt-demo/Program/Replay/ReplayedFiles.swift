import CRDTKit
import CRDTSimulator
import Toolkit

/// Files by their paths, or the fields of one, of which concurrent contents are all
/// kept.
protocol ReplayedFiles: TableBacked where Delta: BinaryCodable {
  /// The state before any commit.
  static var empty: Self { get }

  /// Makes the changes of a commit, those of fields in the record.
  mutating func make(
    _ changes: [HistoryTrace.Change], in record: String?, by replica: ReplicaID,
    at seconds: Int64)

  /// Each live path, with its contents: of files, or of a record's fields.
  func contents(of record: String?) -> [HistoryResult.Content]
}

extension MergeMap: ReplayedFiles where Key == String, Value == MVRegister<String> {
  static var empty: Self { MergeMap() }

  mutating func make(
    _ changes: [HistoryTrace.Change], in _: String?, by replica: ReplicaID, at seconds: Int64
  ) {
    for change in changes {
      switch change {
      case .write(let path, let hash): update(path, by: replica) { $0.set(hash) }
      case .remove(let path): removeValue(forKey: path, by: replica)
      // A trace with such changes is refused before.
      case .set, .unset: break
      }
    }
  }

  func contents(of _: String?) -> [HistoryResult.Content] {
    map { HistoryResult.Content(path: $0.key, values: $0.value.values) }
  }
}

extension Document: ReplayedFiles {
  static var empty: Document { Document() }

  /// A file is a record with its hash, or with its fields; a file that was removed
  /// is one without.
  mutating func make(
    _ changes: [HistoryTrace.Change], in record: String?, by replica: ReplicaID,
    at seconds: Int64
  ) {
    let latest = Int64(HybridTimestamp.maximumMilliseconds / 1_000)
    let milliseconds = UInt64(min(max(seconds, 0), latest)) * 1_000
    let stamp = HybridTimestamp(milliseconds: milliseconds, replica: replica)
    edit(at: stamp) { edit in
      for change in changes {
        switch change {
        case .write(let path, let hash):
          edit.set("hash", of: path, in: "files", to: .string(hash))
        case .remove(let path): edit.remove("hash", of: path, in: "files")
        case .set(let path, let value):
          edit.set(path, of: record ?? "", in: "files", to: value)
        case .unset(let path): edit.remove(path, of: record ?? "", in: "files")
        }
      }
    }
  }

  func contents(of record: String?) -> [HistoryResult.Content] {
    if let record { return leaves(of: record) }
    return records(in: "files").compactMap { path in
      let hashes = alternatives(of: "hash", of: path, in: "files").compactMap { alternative in
        if case .string(let hash) = alternative.value { hash } else { nil }
      }
      return hashes.isEmpty ? nil : HistoryResult.Content(path: path, values: hashes)
    }
  }

  /// The fields of a record that hold no object, with their values as JSON.
  private func leaves(of record: String) -> [HistoryResult.Content] {
    var leaves: [HistoryResult.Content] = []
    var objects = [(path: FieldPath([]), fields: fields(of: record, in: "files") ?? [:])]
    while let object = objects.popLast() {
      for (name, value) in object.fields {
        let path = object.path.appending(name)
        if case .object(let fields) = value {
          objects.append((path: path, fields: fields))
          continue
        }
        let values = alternatives(of: path, of: record, in: "files").map(\.value)
        leaves.append(
          HistoryResult.Content(
            path: JSONValue.array(path.names.map { .string($0) }).description,
            values: values.map { JSONValue(plain: $0).description }))
      }
    }
    return leaves
  }
}
