import CRDTKit

/// The known server state of each record.
struct ServerVersions: Sendable {
  /// The known server state of one record.
  struct Entry: Hashable, Sendable {
    /// The version from the server, if it gives any.
    var version: String?
    /// Whether it is deleted there.
    var isDeleted: Bool
    /// The known values of its fields there.
    var fields = ServerFields()
    /// The texts that it has there as far as was shown, and the lists if it is told their edits.
    var texts = ServerTexts()
    /// Whether the complete record of that version was applied.
    ///
    /// It is false if the version is only known from an accepted operation, besides which
    /// the server may have made other changes.
    var isTakenIn = false
    /// Whether a record was applied while a refused operation of it was here.
    ///
    /// The server may have applied that operation since, because networks repeat requests. Its
    /// changes then counted as someone else's.
    var mayHoldRefused = false

    /// Whether a server's record is already known.
    func covers(_ server: Outbox.ServerRecord) -> Bool {
      isTakenIn && version == server.version && isDeleted == server.isDeleted
    }
  }

  private var entries: [Document.RecordID: Entry] = [:]
  /// The number of server records in each collection.
  private(set) var counts: [String: Int] = [:]

  /// Reads the known state from local values.
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

  /// The change that removes the stored state of a record.
  static func removal(of record: Document.RecordID) -> LocalChange {
    LocalChange(key: record.localKey(in: area), value: nil)
  }

  /// The change that stores the state of a record.
  static func change(_ record: Document.RecordID, _ entry: Entry) -> LocalChange {
    var writer = ByteWriter()
    record.collection.encode(to: &writer)
    record.record.encode(to: &writer)
    entry.version.encode(to: &writer)
    var marks: UInt8 = entry.isDeleted ? 1 : 0
    if entry.isTakenIn { marks |= 2 }
    if entry.mayHoldRefused { marks |= 4 }
    if !entry.texts.isEmpty { marks |= entry.texts.areOfVersion ? 8 : 16 }
    writer.write(marks)
    entry.fields.encode(to: &writer)
    if !entry.texts.isEmpty { entry.texts.encode(to: &writer) }
    return LocalChange(key: record.localKey(in: area), value: writer.finish())
  }

  private static func decode(_ bytes: [UInt8]) -> (Document.RecordID, Entry)? {
    var reader = ByteReader(bytes)
    guard let collection = try? String(from: &reader), let record = try? String(from: &reader),
      let version = try? String?(from: &reader), let mark = try? reader.readByte()
    else { return nil }
    let fields = (try? ServerFields(from: &reader)) ?? ServerFields()
    var texts = mark & 24 == 0 ? nil : try? ServerTexts(from: &reader)
    texts?.areOfVersion = mark & 8 != 0
    return (
      Document.RecordID(record, in: collection),
      Entry(
        version: version, isDeleted: mark & 1 != 0, fields: fields, texts: texts ?? ServerTexts(),
        isTakenIn: mark & 2 != 0, mayHoldRefused: mark & 4 != 0)
    )
  }
}

extension Document.RecordID {
  /// The name under which a value for the record is stored.
  func localKey(in area: String) -> String {
    // The length makes the key unique for each pair of names.
    "\(area)\(collection.utf8.count)/\(collection)/\(record)"
  }
}

/// Digests of a record's fields at the server, which show whether a field has changed
/// there.
///
/// If the server repeats a field's value, it has not changed the field, whatever happened
/// to it here. Digests are collision-resistant, so no change of the server is overlooked.
/// Each entry also stores 16 bits of the field's name; names that share them are forgotten
/// together.
struct ServerFields: Hashable, Sendable {
  /// The known value of a field.
  private struct Known: Hashable, Comparable, Sendable {
    var mark: UInt16
    /// The digest of the name and the value.
    var digest: ShortDigest

    init(_ mark: UInt16, _ digest: ShortDigest) {
      self.mark = mark
      self.digest = digest
    }

    /// With the time when the server says that the value was written, if it says one.
    init(_ name: String, _ value: Document.Value, writtenAt time: UInt64? = nil) {
      var writer = ByteWriter()
      name.encode(to: &writer)
      value.encode(to: &writer)
      if let time { writer.write(varint: time) }
      self.init(Self.mark(name), writer.withBytes { ShortDigest(of: $0) })
    }

    static func mark(_ name: String) -> UInt16 {
      UInt16(truncatingIfNeeded: name._fingerprint >> 48)
    }

    static func < (left: Known, right: Known) -> Bool {
      (left.mark, left.digest) < (right.mark, right.digest)
    }
  }

  private var fields: [Known] = []

  init() {}

  /// Creates the digests of a server's record.
  init(_ server: Outbox.ServerRecord) {
    fields = server.fields.map { name, value in
      Known(name, value, writtenAt: server.fieldMilliseconds[name])
    }.sorted()
  }

  /// Whether a field is known to have its value there, written when the server says.
  ///
  /// The server may have written the same value again, over others that were not received
  /// here. Of a value that is known from here, the time is unknown.
  func contains(_ name: String, of server: Outbox.ServerRecord) -> Bool {
    guard !fields.isEmpty, let value = server.fields[name] else { return false }
    let time = server.fieldMilliseconds[name]
    return fields.contains(Known(name, value, writtenAt: time))
      || time != nil && fields.contains(Known(name, value))
  }

  /// Forgets some fields.
  mutating func forget(_ paths: [FieldPath]) {
    for path in paths {
      if let name = path.names.first { forget(name) }
    }
  }

  private mutating func forget(_ name: String) {
    let mark = Known.mark(name)
    fields.removeAll { $0.mark == mark }
  }

  /// Records that the server has applied some changes.
  ///
  /// The value is unknown after a change that does not assign the whole field.
  mutating func note(_ changes: [Document.FieldChange]) {
    for change in changes {
      guard let name = change.path.names.first else { continue }
      forget(name)
      guard change.path.names.count == 1, case .assign(let value, _) = change.change else {
        continue
      }
      let known = Known(name, value)
      fields.insert(known, at: fields.firstIndex { $0 > known } ?? fields.count)
    }
  }
}

extension ServerFields {
  /// Writes 0, the count, and the name bits and digest of each entry.
  ///
  /// Earlier versions wrote no 0, but the count and eight bytes for each entry.
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: 0)
    writer.write(varint: UInt64(fields.count))
    for field in fields {
      writer.write(fixed: field.mark)
      field.digest.encode(to: &writer)
    }
  }

  /// Reads the digests; none if an earlier version wrote them.
  init(from reader: inout ByteReader) throws(DecodingFailure) {
    guard try reader.readVarint() == 0, reader.remaining > 0 else { return }
    for _ in 0..<(try reader.readCount(of: "fields of a server")) {
      let mark = try reader.readFixed(UInt16.self)
      fields.append(Known(mark, try ShortDigest(from: &reader)))
    }
  }
}

extension OutboxEffects {
  /// The values to store, in the form of a commit.
  var localChanges: [LocalChange] {
    values.map { LocalChange(key: $0.key, value: $0.value) }
  }
}

extension OutboxMachine {
  /// Creates the machine of an outbox from a store's local values.
  ///
  /// An unreadable value, which only a newer version can have written, stays stored and is
  /// not sent.
  init(restoring local: LocalValues, settings: Outbox.Settings, at now: UInt64) {
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
