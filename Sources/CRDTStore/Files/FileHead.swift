import CRDTKit

/// The first 24 bytes of each of a store's files: what it is, and whose.
///
/// Every frame in the file is bound to them, so that no bytes of another file, or
/// of another place in the same, pass for its own.
struct FileHead: Hashable {
  /// What a file is.
  enum Kind: UInt8 {
    case manifest = 1
    case segment = 2
    case snapshot = 3
    /// A file of a relay's folder.
    case relay = 4
    /// A sealed blob.
    case blob = 5
    /// What a sealed store of blobs keeps beside them.
    case blobNames = 6
  }

  static let size = 24
  static let magic: [UInt8] = [0xC4, 0xD7]
  /// The version of the format that is written; all before it are read.
  ///
  /// Local values came with version 2, version 2 of the binary format with version 4.
  static let version: UInt8 = 4
  /// The version of files that are sealed, which those that can't open them refuse; 3
  /// before version 2 of the binary format.
  static let sealedVersion: UInt8 = 5

  let kind: Kind
  /// The random number of the store that the file belongs to; of a relay's file, the
  /// replica that wrote it.
  let store: UInt64
  /// The number of the file among its kind, counted from 1.
  let number: UInt64
  /// The version of the format that the file is of.
  var version = Self.version
  /// Of a relay's file that is sealed, the document that its writer has a copy of; it is not
  /// in the head, but to be read before the first frame is opened.
  var document: DocumentID?

  /// Whether all that isn't needed to tell whole frames from others is sealed.
  var isSealed: Bool { version == 3 || version == Self.sealedVersion }

  /// Whether what is sealed in the file says of which line of history it is.
  var hasLine: Bool { version == Self.sealedVersion && kind != .relay }

  /// The version of the binary format that changes in the file are written in.
  var formatVersion: UInt8 { version < Self.version ? 1 : 2 }

  func encode(to writer: inout ByteWriter) {
    writer.write(Self.magic)
    writer.write(kind.rawValue)
    writer.write(version)
    writer.write(fixed: checksum)
    writer.write(fixed: store)
    writer.write(fixed: number)
  }

  /// Reads the head of a file that should be of a kind.
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
    // A later version may make the checksum otherwise; but if it is that of a version
    // that is written, only the byte that says so is wrong.
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

  /// Whether a checksum would be right, if the version were one that is written.
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
