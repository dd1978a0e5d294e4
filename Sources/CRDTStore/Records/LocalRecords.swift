import CRDTKit

/// Records that stay in this store until they are published.
struct LocalRecords: Sendable {
  private var records: [Document.RecordID: [String: Document.Value]] = [:]

  /// Reads the records among local values.
  init(_ local: LocalValues) {
    for (key, value) in local where key.hasPrefix(Self.area) {
      guard let (record, fields) = Self.decode(value) else { continue }
      records[record] = fields
    }
  }

  subscript(record: Document.RecordID) -> [String: Document.Value]? { records[record] }

  func names(in collection: String) -> [String] {
    records.keys.lazy.filter { $0.collection == collection }.map(\.record)
  }

  /// The identifiers of all such records, in order.
  var all: [Document.RecordID] { records.keys.sorted() }

  mutating func apply(_ changes: [Document.RecordID: [String: Document.Value]?]) {
    for (record, fields) in changes { records[record] = fields }
  }

  private static let area = "local/"

  /// The local value that stores such a record.
  static func change(
    _ record: Document.RecordID, _ fields: [String: Document.Value]?
  ) -> LocalChange {
    let key = record.localKey(in: area)
    guard let fields else { return LocalChange(key: key, value: nil) }
    var writer = ByteWriter()
    record.collection.encode(to: &writer)
    record.record.encode(to: &writer)
    Document.Value.object(fields).encode(to: &writer)
    return LocalChange(key: key, value: writer.finish())
  }

  private static func decode(
    _ bytes: [UInt8]
  ) -> (Document.RecordID, [String: Document.Value])? {
    var reader = ByteReader(bytes)
    guard let collection = try? String(from: &reader), let record = try? String(from: &reader),
      case .object(let fields)? = try? Document.Value(from: &reader)
    else { return nil }
    return (Document.RecordID(record, in: collection), fields)
  }
}
