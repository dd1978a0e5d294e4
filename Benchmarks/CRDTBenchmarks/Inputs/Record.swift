import CRDTKit
import CRDTStoreTesting

/// A record of ten fields: five texts of eight letters, five whole numbers.
struct Record {
  static let collection = "notes"
  static let fieldNames = [
    "title", "stars", "body", "views", "author", "created", "status", "updated", "parent", "rank",
  ]

  let id: String
  /// In the order of the names.
  let values: [Document.Value]

  /// The record of a number: the same number, the same record.
  init(_ number: Int) {
    id = "r" + Elements.padded(number, 6)
    var generator = SeededGenerator(seed: UInt64(number))
    values = Self.fieldNames.indices.map { place in
      place.isMultiple(of: 2)
        ? .string(Elements.letters(8, using: &generator))
        : .int(Int64.random(in: 0..<1_000_000, using: &generator))
    }
  }

  /// The fields by name, as a plain dictionary.
  var fields: [String: Document.Value] {
    var fields: [String: Document.Value] = [:]
    for (name, value) in zip(Self.fieldNames, values) { fields[name] = value }
    return fields
  }
}

extension Document.Editor {
  /// Writes all fields of a record, one by one.
  mutating func write(_ record: Record) {
    for (name, value) in zip(Record.fieldNames, record.values) {
      set([name], of: record.id, in: Record.collection, to: value)
    }
  }
}

extension HybridTimestamp {
  /// The stamp of a replica's edit: edits of a later round are later.
  static func of(_ replica: ReplicaID, round: Int = 0) -> HybridTimestamp {
    HybridTimestamp(milliseconds: 1_750_000_000_000 + UInt64(round), replica: replica)
  }
}
