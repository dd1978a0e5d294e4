/// What each side says first: who it is, what it speaks, of which document its value is,
/// and how far a broken transfer had come.
///
/// The version follows in the same frame.
struct Hello: Sendable {
  static let magic: [UInt8] = [0xC4, 0xD7, 0x70, 0x73]
  static let versions: ClosedRange<UInt8> = 1...2

  let typeCode: [UInt8]
  let replica: ReplicaID
  let windowBytes: Int
  let partial: PartialTransfer?
  /// The document that the value is a copy of, where it is known; never in version 1.
  var document: DocumentIdentity?
  /// The greatest version of the protocol that the two sides speak.
  var version = versions.upperBound
}

extension Hello {
  func encode(to writer: inout ByteWriter) {
    writer.write(Hello.magic)
    writer.write(Hello.versions.lowerBound)
    writer.write(Hello.versions.upperBound)
    writer.write(BinaryFormat.version)
    writer.write(varint: UInt64(typeCode.count))
    writer.write(typeCode)
    replica.encode(to: &writer)
    writer.write(varint: UInt64(windowBytes))
    writer.write((partial == nil ? 0 : 1) | (document == nil ? 0 : 2) as UInt8)
    partial?.encode(to: &writer)
    if document != nil { document.encode(to: &writer) }
  }

  /// Reads a hello, and refuses a peer with whom there is nothing to be done.
  init(from reader: inout ByteReader, typeCode: [UInt8]) throws(SyncFailure) {
    guard let magic = try? reader.readBytes(Hello.magic.count), magic.elementsEqual(Hello.magic)
    else { throw .notAPeer }
    let version = try Hello.agree(on: &reader)
    let found = try SyncFailure.wrap { () throws(DecodingFailure) in
      Array(try reader.readBytes(try reader.readCount(of: "bytes of a type's code")))
    }
    guard found == typeCode else { throw .typeMismatch(found: found, expected: typeCode) }
    self = try SyncFailure.wrap { () throws(DecodingFailure) in
      let replica = try ReplicaID(from: &reader)
      let start = reader.offset
      let window = try reader.readVarint()
      guard window > 0 else { throw DecodingFailure(.outOfBounds("a window"), at: start) }
      let place = reader.offset
      let parts = try reader.readByte()
      guard parts <= (version > 1 ? 3 : 1) else {
        throw DecodingFailure(.invalidValue("a hello with unknown parts"), at: place)
      }
      return Hello(
        typeCode: typeCode, replica: replica, windowBytes: Int(clamping: window),
        partial: parts & 1 == 1 ? try PartialTransfer(from: &reader) : nil,
        document: parts & 2 == 2 ? try DocumentIdentity?(from: &reader) : nil, version: version)
    }
  }

  /// Reads what later versions of the protocol will begin with, too; gives the version
  /// that both sides speak.
  private static func agree(on reader: inout ByteReader) throws(SyncFailure) -> UInt8 {
    let (least, greatest, format) = try SyncFailure.wrap { () throws(DecodingFailure) in
      (try reader.readByte(), try reader.readByte(), try reader.readByte())
    }
    guard least <= greatest else { throw .violation("a range of versions that has none") }
    guard least <= versions.upperBound, greatest >= versions.lowerBound else {
      throw .noCommonVersion(ours: versions, theirs: least...greatest)
    }
    guard format == BinaryFormat.version else { throw .unsupportedFormat(format) }
    return min(greatest, versions.upperBound)
  }
}
