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

/// What a server is known to have in the fields of a record, as digests: enough to tell
/// whether it says something else now.
///
/// A field of which it says the same again it has not changed, whatever happened to it
/// here. Nobody can find two values of one digest, so what a server changes is never
/// passed over. Of a field's name 16 bits are kept besides; of two names with the same,
/// either is forgotten with the other.
struct ServerFields: Hashable, Sendable {
  /// What a field is known to have.
  private struct Known: Hashable, Comparable, Sendable {
    var mark: UInt16
    /// What the name and the value come to.
    var digest: ShortDigest

    init(_ mark: UInt16, _ digest: ShortDigest) {
      self.mark = mark
      self.digest = digest
    }

    init(_ name: String, _ value: Document.Value) {
      var writer = ByteWriter()
      name.encode(to: &writer)
      value.encode(to: &writer)
      self.init(Self.mark(name), writer.withBytes { ShortDigest(of: $0) })
    }

    static func mark(_ name: String) -> UInt16 {
      UInt16(truncatingIfNeeded: name.fingerprint >> 48)
    }

    static func < (left: Known, right: Known) -> Bool {
      (left.mark, left.digest) < (right.mark, right.digest)
    }
  }

  private var fields: [Known] = []

  init() {}

  /// What a server says of a record.
  init(_ fields: [String: Document.Value]) {
    self.fields = fields.map { Known($0.key, $0.value) }.sorted()
  }

  /// Whether a field is known to have a value there.
  func contains(_ value: Document.Value, of name: String) -> Bool {
    !fields.isEmpty && fields.contains(Known(name, value))
  }

  /// Forgets what is known of some fields.
  mutating func forget(_ paths: [FieldPath]) {
    for name in paths.compactMap(\.names.first) {
      let mark = Known.mark(name)
      fields.removeAll { $0.mark == mark }
    }
  }

  /// Notes that the server has done some changes.
  ///
  /// What a field has after one that isn't an assignment of all of it isn't known.
  mutating func note(_ changes: [Document.FieldChange]) {
    for change in changes {
      guard let name = change.path.names.first else { continue }
      forget([change.path])
      guard change.path.names.count == 1, case .assign(let value, _) = change.change else {
        continue
      }
      let known = Known(name, value)
      fields.insert(known, at: fields.firstIndex { $0 > known } ?? fields.count)
    }
  }
}

extension ServerFields {
  /// Writes 0, how many there are, and each one's mark and digest.
  ///
  /// Earlier versions wrote no 0, but how many there are, and eight bytes for each.
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: 0)
    writer.write(varint: UInt64(fields.count))
    for field in fields {
      writer.write(fixed: field.mark)
      field.digest.encode(to: &writer)
    }
  }

  /// Reads what is known of a server's fields: nothing, where an earlier version wrote it.
  init(from reader: inout ByteReader) throws(DecodingFailure) {
    guard try reader.readVarint() == 0, reader.remaining > 0 else { return }
    for _ in 0..<(try reader.readCount(of: "fields of a server")) {
      let mark = try reader.readFixed(UInt16.self)
      fields.append(Known(mark, try ShortDigest(from: &reader)))
    }
  }
}

extension OutboxEffects {
  /// What is to be kept, as a commit has it.
  var localChanges: [LocalChange] {
    values.map { LocalChange(key: $0.key, value: $0.value) }
  }
}

extension OutboxMachine {
  /// Creates the machine of an outbox from a store's local values.
  ///
  /// A value that can't be read, which only a newer version can have written, stays
  /// where it is and is not sent.
  init(restoring local: LocalValues, settings: OutboxSettings, at now: UInt64) {
    var values = local.filter { $0.key.hasPrefix(OutboxKey.area) }
    while true {
      do throws(OutboxDamage) {
        try self.init(
          restoring: values.map { (key: $0.key, value: $0.value) }, settings: settings, at: now)
        return
      } catch {
        values[error.key] = nil
      }
    }
  }
}
