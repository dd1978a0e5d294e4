import CRDTKit

extension Document {
  /// The replica and the time that JSON is taken to be written by and at.
  private static let stamp = HybridTimestamp(milliseconds: 0, replica: ReplicaID(0))

  /// What the document shows: an object of collections, which are objects of
  /// records, which are objects of fields.
  var json: JSONValue {
    .object(
      collections.map { collection in
        let records = records(in: collection).map { record in
          let fields = fields(of: record, in: collection) ?? [:]
          return (name: record, value: JSONValue(Value.object(fields)))
        }
        return (name: collection, value: .object(records))
      })
  }

  /// Creates the document that such an object describes, as written by replica 0 at
  /// the beginning of all time: the same JSON gives the same bytes.
  init(json value: Value) throws(Trouble) {
    self.init()
    let collections = try Self.members(of: value, "the whole")
    var all: [(collection: String, record: String, fields: [(name: String, value: Value)])] = []
    for (collection, records) in collections {
      for (record, fields) in try Self.members(of: records, "collection '\(collection)'") {
        let members = try Self.members(of: fields, "record '\(record)' in '\(collection)'")
        for (name, value) in members where value.depth >= Value.depthMax {
          throw Trouble("field '\(name)' of '\(record)' is nested more than 31 levels deep")
        }
        all.append((collection, record, members))
      }
    }
    edit(at: Self.stamp) { edit in
      for (collection, record, fields) in all {
        edit.create(record, in: collection)
        for (name, value) in fields { edit.set([name], of: record, in: collection, to: value) }
      }
    }
  }

  /// The members of an object, in the order of their names.
  private static func members(
    of value: Value, _ what: String
  ) throws(Trouble) -> [(name: String, value: Value)] {
    guard case .object(let fields) = value else { throw Trouble("\(what) must be an object") }
    try checkNames(in: value)
    return fields.map { (name: $0.key, value: $0.value) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private static func checkNames(in value: Value) throws(Trouble) {
    switch value {
    case .array(let elements):
      for element in elements { try checkNames(in: element) }
    case .object(let fields):
      for (name, value) in fields {
        guard name.utf8.count <= Value.nameLengthMax else {
          throw Trouble("a name has more than \(Value.nameLengthMax) bytes")
        }
        try checkNames(in: value)
      }
    default: break
    }
  }
}
