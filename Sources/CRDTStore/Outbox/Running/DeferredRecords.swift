import CRDTKit

/// Records of a server that wait until an operation of theirs was answered for.
enum DeferredRecords {
  private static let area = "deferred/"

  /// What is kept of one.
  static func change(_ record: Document.RecordID, _ server: ServerRecord?) -> LocalChange {
    let key = record.localKey(in: area)
    guard let server else { return LocalChange(key: key, value: nil) }
    var writer = ByteWriter()
    server.version.encode(to: &writer)
    Document.Value.object(server.fields).encode(to: &writer)
    writer.write(server.isDeleted ? 1 : 0 as UInt8)
    return LocalChange(key: key, value: writer.finish())
  }

  /// The one of a record, if it waits.
  static func record(_ record: Document.RecordID, in local: LocalValues) -> ServerRecord? {
    guard let bytes = local[record.localKey(in: area)] else { return nil }
    var reader = ByteReader(bytes)
    guard let version = try? String(from: &reader),
      case .object(let fields)? = try? Document.Value(from: &reader),
      let mark = try? reader.readByte()
    else { return nil }
    return ServerRecord(record: record, version: version, fields: fields, isDeleted: mark != 0)
  }
}
