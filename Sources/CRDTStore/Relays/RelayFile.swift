import CRDTKit

/// One file of a relay's folder: its writer's state, and usually a delta.
///
/// After the file's head comes a frame with everything but the delta. Then come the delta's
/// bytes, in the usual exchange format. A file never changes once it has its name.
struct RelayFile: Equatable {
  /// The identity of a file: its writer, and its number among the writer's files.
  struct Key: Hashable {
    var writer: ReplicaID
    var sequence: UInt64
  }

  /// The greatest number that a file may have: version vectors can hold it.
  static let sequenceMax: UInt64 = 1 << 48 - 1

  var key: Key
  /// When it was written, by its writer's clock.
  var milliseconds: UInt64
  /// The version that its writer had received.
  var version: VersionVector
  /// The digest of its writer's contents at that version; files before version 4 have none.
  var digest: ShortDigest?
  /// The version that a replica must have seen before it can apply the delta.
  var base: VersionVector = [:]
  /// The newest file with a delta, of each replica, that the writer had found.
  var known: VersionVector = [:]
  /// The replicas that the writer no longer waits for, each with its newest file at that
  /// time: a newer file means that it is back.
  var retired: VersionVector = [:]
  /// The document that its writer has a copy of; `nil` if it knows none, or is empty.
  var document: DocumentIdentity?
  /// The number of bytes of the delta; 0 if there is none.
  var deltaSize: UInt64 = 0
  /// The last four bytes of the delta, which are its checksum.
  ///
  /// If they are sealed, it is the checksum of the bytes before sealing.
  var deltaChecksum: UInt32 = 0
  /// Distinguishes the events that its writer had received from others of the same names;
  /// files before version 4 have none.
  var heads: VersionHeads?
  /// The replicas of which the writer could not apply a delta, because two places have
  /// written under their names, with the number of events of each that it has seen.
  ///
  /// It accepts a file with everything that its writer has seen, if that has more events.
  var wanted: VersionVector = [:]

  var hasDelta: Bool { deltaSize > 0 }
}

extension RelayFile {
  /// The body of the frame before the delta's bytes.
  var encodedHead: ByteWriter {
    var body = ByteWriter()
    body.write(varint: milliseconds)
    for part in [version, base, known, retired] { part.encode(to: &body) }
    body.write(varint: deltaSize)
    body.write(fixed: deltaChecksum)
    digest?.encode(to: &body)
    document.encode(to: &body)
    heads?.encode(to: &body)
    if !wanted.isEmpty { wanted.encode(to: &body) }
    return body
  }

  /// Finds the frame before the delta's bytes.
  static func headFrame(
    of bytes: [UInt8]
  ) throws(DecodingFailure) -> (FileHead, body: Range<Int>) {
    var reader = ByteReader(bytes)
    var head = try FileHead(from: &reader, kind: .relay)
    guard
      let body = bytes.withUnsafeBytes({ Frame.body(at: FileHead.size, of: $0, in: head) })
    else { throw DecodingFailure(.damaged, at: FileHead.size) }
    try head.readDocument(of: bytes, in: body)
    guard head.number > 0, head.number <= RelayFile.sequenceMax else {
      throw DecodingFailure(.outOfBounds("the number of a file"), at: FileHead.size)
    }
    return (head, body)
  }

  /// Reads the body of the frame before the delta's bytes.
  init(from fields: inout ByteReader, in head: FileHead) throws(DecodingFailure) {
    self.init(
      key: Key(writer: ReplicaID(head.store), sequence: head.number),
      milliseconds: try fields.readVarint(), version: try VersionVector(from: &fields),
      base: try VersionVector(from: &fields), known: try VersionVector(from: &fields),
      retired: try VersionVector(from: &fields), deltaSize: try fields.readVarint(),
      deltaChecksum: try fields.readFixed(UInt32.self))
    if head.formatVersion > 1 {
      digest = try ShortDigest(from: &fields)
      document = try DocumentIdentity?(from: &fields)
      heads = try VersionHeads(from: &fields)
      if fields.remaining > 0 {
        let start = fields.offset
        wanted = try VersionVector(from: &fields)
        if wanted.isEmpty {
          throw DecodingFailure(.notCanonical("a list of no replicas"), at: start)
        }
      }
    }
    guard fields.remaining == 0 else {
      throw DecodingFailure(.trailingBytes, at: fields.offset)
    }
  }
}

extension RelayFile {
  /// Whether a replica that applies this file's delta doesn't need the other's, and can
  /// apply this one whenever it could apply the other.
  ///
  /// No two files supersede each other, so of any number of files one remains.
  func supersedes(_ other: RelayFile) -> Bool {
    guard hasDelta, key != other.key, other.base.contains(base), version.contains(other.version)
    else { return false }
    if base != other.base || version != other.version { return true }
    return (key.sequence, key.writer) > (other.key.sequence, other.key.writer)
  }
}

/// The names in a relay's folder: made of replicas and numbers.
enum RelayNames {
  static let suffix = ".delta"

  /// The name of a replica's subfolder.
  static func folder(_ replica: ReplicaID) -> String { FileNames.digits(replica.rawValue) }

  /// The replica whose subfolder has this name; `nil` if the name is no replica's.
  static func replica(_ name: String) -> ReplicaID? {
    guard name.utf8.count == 16, let number = UInt64(name, radix: 16),
      FileNames.digits(number) == name
    else { return nil }
    return ReplicaID(number)
  }

  static func file(_ sequence: UInt64) -> String { FileNames.digits(sequence) + suffix }

  /// The number in a file's name; `nil` if there is none.
  static func sequence(_ name: String) -> UInt64? { FileNames.number(name, before: suffix) }

  /// Whether systems or syncing tools use this name for files of their own, or for files
  /// that are still arriving.
  static func isPassing(_ name: String) -> Bool {
    let endings = [FileNames.unfinished, ".tmp", ".temp", ".part", ".partial", ".crdownload", "~"]
    return name.hasPrefix(".") || name.hasPrefix("~") || endings.contains { name.hasSuffix($0) }
      || ["desktop.ini", "Thumbs.db", "lost+found"].contains(name)
  }
}
