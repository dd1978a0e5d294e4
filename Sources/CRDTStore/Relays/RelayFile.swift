import CRDTKit

/// One file of a relay's folder: what its writer says of itself, and mostly a delta.
///
/// After the file's head stands a frame with all but the delta; then the delta's bytes
/// follow, as they are exchanged anywhere. A file never changes once it has its name.
struct RelayFile: Equatable {
  /// What a file goes by: who wrote it, and its number among the writer's.
  struct Key: Hashable {
    var writer: ReplicaID
    var sequence: UInt64
  }

  /// The greatest number that a file may have: version vectors can hold it.
  static let sequenceMax: UInt64 = 1 << 48 - 1

  var key: Key
  /// When it was written, by its writer's clock.
  var milliseconds: UInt64
  /// What its writer had taken in.
  var version: VersionVector
  /// What its writer's contents came to then; files before version 4 don't say.
  var digest: ShortDigest?
  /// What must have been seen before the delta can be taken in.
  var base: VersionVector = [:]
  /// Of each replica, the newest file with a delta that the writer had found.
  var known: VersionVector = [:]
  /// The replicas that the writer waits for no longer, each with its newest file then:
  /// with a newer one it is back.
  var retired: VersionVector = [:]
  /// The document that its writer has a copy of; `nil` where it knows none, or is empty.
  var document: DocumentIdentity?
  /// How many bytes the delta has; 0 where there is none.
  var deltaSize: UInt64 = 0
  /// The last four of the delta's bytes, which are its checksum; where they are sealed,
  /// that of what is.
  var deltaChecksum: UInt32 = 0
  /// What tells the events that its writer had taken in from others of their names; files
  /// before version 4 don't say.
  var heads: VersionHeads?
  /// The replicas of which the writer could not take in a delta, since two places have
  /// written under their names, with how many events of each it has seen: it takes what
  /// somebody publishes who has more, with all that they have.
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
  /// Whether whoever takes in this file's delta needs not the other's, and can have
  /// this one wherever they could have that one.
  ///
  /// No two files supersede each other, so that of any number one stays.
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

  /// The replica whose subfolder has a name; `nil` if it is none.
  static func replica(_ name: String) -> ReplicaID? {
    guard name.utf8.count == 16, let number = UInt64(name, radix: 16),
      FileNames.digits(number) == name
    else { return nil }
    return ReplicaID(number)
  }

  static func file(_ sequence: UInt64) -> String { FileNames.digits(sequence) + suffix }

  /// The number in a file's name; `nil` if it is none.
  static func sequence(_ name: String) -> UInt64? { FileNames.number(name, before: suffix) }

  /// Whether a name is one of those that systems and syncing tools give to files of
  /// their own, and to those that are still on their way.
  static func isPassing(_ name: String) -> Bool {
    let endings = [FileNames.unfinished, ".tmp", ".temp", ".part", ".partial", ".crdownload", "~"]
    return name.hasPrefix(".") || name.hasPrefix("~") || endings.contains { name.hasSuffix($0) }
      || ["desktop.ini", "Thumbs.db", "lost+found"].contains(name)
  }
}
