import CRDTKit

/// What a server is known to have of which records.
struct ServerVersions: Sendable {
  /// What is known of one record.
  struct Entry: Hashable, Sendable {
    /// The version that the server gave, if it gives any.
    var version: String?
    /// Whether it is deleted there.
    var isDeleted: Bool
    /// What its fields hold there, as far as that is known.
    var fields = ServerFields()
    /// Whether all that the server has at the version was taken in; not where the
    /// version is only known from what it accepted, beside which it may have done more.
    var isTakenIn = false

    /// Whether a server's record is known already.
    func covers(_ server: ServerRecord) -> Bool {
      isTakenIn && version == server.version && isDeleted == server.isDeleted
    }
  }

  private var entries: [Document.RecordID: Entry] = [:]
  /// How many records the server has in each collection.
  private(set) var counts: [String: Int] = [:]

  /// Reads what is known among local values.
  init(_ local: LocalValues) {
    for (key, value) in local where key.hasPrefix(Self.area) {
      guard let (record, entry) = Self.decode(value) else { continue }
      self[record] = entry
    }
  }

  subscript(record: Document.RecordID) -> Entry? {
    get { entries[record] }
    set {
      let old = entries.updateValue(newValue ?? Entry(isDeleted: true), forKey: record)
      if newValue == nil { entries[record] = nil }
      let had = old.map { !$0.isDeleted } ?? false
      let has = newValue.map { !$0.isDeleted } ?? false
      if had != has { counts[record.collection, default: 0] += has ? 1 : -1 }
    }
  }

  /// The records that the server is known to have deleted, in no order.
  var deletedRecords: [Document.RecordID] {
    entries.lazy.filter(\.value.isDeleted).map(\.key)
  }

  private static let area = "server/"

  /// What takes away what is kept of a record.
  static func removal(of record: Document.RecordID) -> LocalChange {
    LocalChange(key: record.localKey(in: area), value: nil)
  }

  /// What is kept of a record.
  static func change(_ record: Document.RecordID, _ entry: Entry) -> LocalChange {
    var writer = ByteWriter()
    record.collection.encode(to: &writer)
    record.record.encode(to: &writer)
    entry.version.encode(to: &writer)
    writer.write((entry.isDeleted ? 1 : 0) | (entry.isTakenIn ? 2 : 0) as UInt8)
    entry.fields.encode(to: &writer)
    return LocalChange(key: record.localKey(in: area), value: writer.finish())
  }

  private static func decode(_ bytes: [UInt8]) -> (Document.RecordID, Entry)? {
    var reader = ByteReader(bytes)
    guard let collection = try? String(from: &reader), let record = try? String(from: &reader),
      let version = try? String?(from: &reader), let mark = try? reader.readByte()
    else { return nil }
    let fields = (try? ServerFields(from: &reader)) ?? ServerFields()
    return (
      Document.RecordID(record, in: collection),
      Entry(
        version: version, isDeleted: mark & 1 != 0, fields: fields, isTakenIn: mark & 2 != 0)
    )
  }
}

extension Document.RecordID {
  /// The name that something about the record is kept under.
  func localKey(in area: String) -> String {
    // With the length, no two pairs of names make the same key.
    "\(area)\(collection.utf8.count)/\(collection)/\(record)"
  }
}
