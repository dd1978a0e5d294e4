import CRDTKit

/// The first 24 bytes of each of a store's files: the file's kind and store.
///
/// Every frame in the file is bound to its head. So bytes of another file, or from another
/// position in the same file, are not accepted in its place.
struct FileHead: Hashable {
  /// The kind of a file.
  enum Kind: UInt8 {
    case manifest = 1
    case segment = 2
    case snapshot = 3
    /// A file of a relay's folder.
    case relay = 4
    /// A sealed blob.
    case blob = 5
    /// The data that a sealed blob store keeps beside its blobs.
    case blobNames = 6
  }

  static let size = 24
  static let magic: [UInt8] = [0xC4, 0xD7]
  /// The version of the format that is written; all earlier ones can be read.
  ///
  /// Version 2 added local values. Version 4 uses version 2 of the binary format.
  static let version: UInt8 = 4
  /// The version of sealed files, which builds that can't open them refuse.
  ///
  /// It was 3 before version 2 of the binary format.
  static let sealedVersion: UInt8 = 5

  let kind: Kind
  /// The random number of the file's store; for a relay's file, the replica that wrote it.
  let store: UInt64
  /// The number of the file among those of its kind, counted from 1.
  let number: UInt64
  /// The version of the file's format.
  var version = Self.version
  /// The document that the writer of a relay's sealed file has a copy of.
  ///
  /// It is not in the head, but must be read before the first frame is opened.
  var document: DocumentID?

  /// Whether everything is sealed that isn't needed to recognize whole frames.
  var isSealed: Bool { version == 3 || version == Self.sealedVersion }

  /// Whether the sealed parts of the file name their line of history.
  var hasLine: Bool { version == Self.sealedVersion && kind != .relay }

  /// The version of the binary format of the file's changes.
  var formatVersion: UInt8 { version < Self.version ? 1 : 2 }

  func encode(to writer: inout ByteWriter) {
    writer.write(Self.magic)
    writer.write(kind.rawValue)
    writer.write(version)
    writer.write(fixed: checksum)
    writer.write(fixed: store)
    writer.write(fixed: number)
  }

  /// Reads the head of a file of an expected kind.
  init(from reader: inout ByteReader, kind: Kind) throws(DecodingFailure) {
    guard reader.remaining >= Self.size else {
      throw DecodingFailure(.truncated, at: reader.offset + reader.remaining)
    }
    guard try reader.readBytes(2).elementsEqual(Self.magic) else {
      throw DecodingFailure(.unknownFormat, at: 0)
    }
    let found = try reader.readByte()
    version = try reader.readByte()
    let checksum = try reader.readFixed(UInt32.self)
    self.kind = kind
    store = try reader.readFixed(UInt64.self)
    number = try reader.readFixed(UInt64.self)
    let known = 1...Self.sealedVersion
    // A later version may compute the checksum in another way. But if the checksum fits a
    // version that is written today, only the version byte is damaged.
    guard version <= known.upperBound || isWritten(with: checksum) else {
      throw DecodingFailure(.unsupportedVersion(version), at: 3)
    }
    guard found == kind.rawValue, known.contains(version), checksum == self.checksum else {
      throw DecodingFailure(.damaged, at: 0)
    }
  }

  init(kind: Kind, store: UInt64, number: UInt64, isSealed: Bool = false) {
    self.kind = kind
    self.store = store
    self.number = number
    version = isSealed ? Self.sealedVersion : Self.version
  }

  /// Whether a checksum would be right for one of the versions that are written.
  private func isWritten(with checksum: UInt32) -> Bool {
    [Self.version, Self.sealedVersion, 2, 3].contains { version in
      var head = self
      head.version = version
      return head.checksum == checksum
    }
  }

  private var checksum: UInt32 {
    let words = (
      store.littleEndian, number.littleEndian,
      (UInt64(kind.rawValue) | UInt64(version) << 8).littleEndian
    )
    return withUnsafeBytes(of: words) { CRC32C.checksum($0) }
  }
}
