import CRDTKit
import Toolkit

extension Document {
  /// The replica and the time that JSON is taken to be written by and at.
  private static let stamp = HybridTimestamp(milliseconds: 0, replica: ReplicaID(0))

  /// Writes what the document shows, piece by piece: an object of collections, which are
  /// objects of records, which are objects of fields.
  ///
  /// No more of the text than that of one record is in memory.
  func writeJSON<Failure: Error>(_ write: (String) throws(Failure) -> Void) throws(Failure) {
    let collections = collections
    if collections.isEmpty { return try write("{}\n") }
    var lead = "{\n  "
    for collection in collections {
      try write("\(lead)\(collection.jsonQuoted): ")
      lead = ",\n  "
      let records = records(in: collection)
      var recordLead = "{\n    "
      for record in records {
        let fields = JSONValue(Value.object(fields(of: record, in: collection) ?? [:]))
        try write("\(recordLead)\(record.jsonQuoted): \(fields.indented(after: "    "))")
        recordLead = ",\n    "
      }
      try write(records.isEmpty ? "{}" : "\n  }")
    }
    try write("\n}\n")
  }

  /// Creates the document that such an object describes, as written by replica 0 at
  /// the beginning of all time: the same JSON gives the same bytes.
  init(json value: Value) throws(CommandFailure) {
    self.init()
    let records = try Self.records(in: value)
    edit(at: Self.stamp) { edit in
      for (record, fields) in records {
        edit.create(record.record, in: record.collection)
        for (name, value) in fields {
          edit.set([name], of: record.record, in: record.collection, to: value)
        }
      }
    }
  }

  /// The records that such an object describes, with their fields, in the order of
  /// their names; all of them can be written.
  static func records(
    in value: Value
  ) throws(CommandFailure) -> [(record: RecordID, fields: [(name: String, value: Value)])] {
    var all: [(record: RecordID, fields: [(name: String, value: Value)])] = []
    for (collection, records) in try members(of: value, "the whole") {
      for (record, fields) in try members(of: records, "collection '\(collection.visible)'") {
        let members = try members(
          of: fields, "record '\(record.visible)' in '\(collection.visible)'")
        for (name, value) in members where value.depth >= Value.maximumDepth {
          throw CommandFailure(
            "field '\(name.visible)' of '\(record.visible)' is nested more than 31 levels deep")
        }
        all.append((RecordID(record, in: collection), members))
      }
    }
    return all
  }

  /// The members of an object, in the order of their names.
  private static func members(
    of value: Value, _ what: String
  ) throws(CommandFailure) -> [(name: String, value: Value)] {
    guard case .object(let fields) = value else {
      throw CommandFailure("\(what) must be an object")
    }
    try value.checkNames()
    return fields.map { (name: $0.key, value: $0.value) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

extension Document.Value {
  /// Refuses names that are too long for a document.
  func checkNames() throws(CommandFailure) {
    switch self {
    case .array(let elements):
      for element in elements { try element.checkNames() }
    case .object(let fields):
      for (name, value) in fields {
        guard name.utf8.count <= Self.maximumNameLength else {
          throw CommandFailure("a name has more than \(Self.maximumNameLength) bytes")
        }
        try value.checkNames()
      }
    default: break
    }
  }
}
