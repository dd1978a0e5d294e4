/// The first message of each side: its replica, its protocol versions, its document, and
/// the progress of a broken transfer.
///
/// The version follows in the same frame.
struct Hello: Sendable {
  static let magic: [UInt8] = [0xC4, 0xD7, 0x70, 0x73]
  static let versions: ClosedRange<UInt8> = 1...2

  let typeCode: [UInt8]
  let replica: ReplicaID
  let windowBytes: Int
  let partial: PartialTransfer?
  /// The document of which the value is a copy, if known; never in protocol version 1.
  var document: DocumentIdentity?
  /// The greatest protocol version that both sides speak.
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

  /// Reads a hello; throws if the peer is incompatible.
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

  /// Reads the part that later protocol versions will keep; returns the greatest common
  /// version.
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

/// The identifiers of a document: mostly one, or several if documents were joined.
///
/// Two copies are of the same document if they share an identifier. Identifiers are only
/// added, and if there are too many, the least are kept. So copies that receive the same
/// identifiers agree, in whatever order they receive them.
package struct DocumentIdentity: Hashable, Sendable {
  /// The greatest number of identifiers that are kept.
  package static let countMax = 16

  /// The identifiers in ascending order; never empty.
  package let ids: [DocumentID]
  /// Whether the copy takes the identity of the first document that it meets: it has no
  /// events, and no one has set its document.
  package var isOpen: Bool

  /// Creates the identity of a document with one identifier.
  package init(_ id: DocumentID, isOpen: Bool = false) {
    ids = [id]
    self.isOpen = isOpen
  }

  private init(ids: [DocumentID], isOpen: Bool) {
    self.ids = ids
    self.isOpen = isOpen
  }

  /// The document's main identifier: the least.
  package var id: DocumentID { ids[0] }

  /// The other identifiers, under which copies know it that have not received the least.
  package var otherIDs: ArraySlice<DocumentID> { ids.dropFirst() }

  /// Whether both identify the same document.
  package func isSame(as other: DocumentIdentity) -> Bool {
    !Set(ids).isDisjoint(with: other.ids)
  }

  /// The identity of a document with the identifiers of both.
  package func joined(with other: DocumentIdentity?) -> DocumentIdentity {
    guard let other, other.ids != ids else { return self }
    let all = Set(ids).union(other.ids).sorted().prefix(Self.countMax)
    return DocumentIdentity(ids: Array(all), isOpen: isOpen)
  }

  /// The identity of the copy once it is no longer open.
  package var settled: DocumentIdentity { DocumentIdentity(ids: ids, isOpen: false) }
}

extension DocumentIdentity {
  /// Whether copies with these greetings may synchronize, as far as the greetings show.
  package func canMeet(_ peer: DocumentIdentity) -> Bool {
    isOpen || peer.isOpen || isSame(as: peer)
  }

  /// The identity of a copy after it meets another copy.
  ///
  /// Both greetings decide it. So both sides agree, whatever they have written meanwhile.
  ///
  /// - Parameters:
  ///   - own: The copy's current identity.
  ///   - greeting: The identity in the copy's own greeting.
  ///   - peer: The identity in the peer's greeting.
  /// - Returns: The identity; `nil` if the copy has none.
  /// - Throws: ``SyncFailure/differentDocument(found:own:)``.
  package static func meeting(
    _ own: DocumentIdentity?, greetedAs greeting: DocumentIdentity?, _ peer: DocumentIdentity?
  ) throws(SyncFailure) -> DocumentIdentity? {
    guard let peer else { return own }
    guard let own else { return peer.isOpen ? nil : peer.settled }
    if peer.isOpen {
      // Two empty copies are one document from now on.
      return greeting?.isOpen == true ? own.joined(with: greeting).joined(with: peer) : own
    }
    if own.isSame(as: peer) { return own.joined(with: peer).settled }
    guard own.isOpen else { throw .differentDocument(found: peer.id, own: own.id) }
    return taking(peer, for: own)
  }

  /// The identity of a copy that was open, or had none, after it takes that of a
  /// document.
  ///
  /// A single identifier of its own, which no other copy knows, is dropped. With several
  /// identifiers, it has met other copies, and keeps them.
  package static func taking(
    _ other: DocumentIdentity, for own: DocumentIdentity?
  ) -> DocumentIdentity {
    guard let own, own.ids.count > 1 else { return other.settled }
    return own.joined(with: other).settled
  }
}

extension DocumentIdentity? {
  /// Writes twice the number of identifiers, plus 1 if the copy is open, and each of them.
  package func encode(to writer: inout ByteWriter) {
    guard let self else { return writer.write(varint: 0) }
    writer.write(varint: UInt64(self.ids.count) << 1 | (self.isOpen ? 1 : 0))
    for id in self.ids { id.encode(to: &writer) }
  }

  /// Reads what ``encode(to:)`` writes.
  package init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let head = try reader.readVarint()
    guard head != 1, head >> 1 <= UInt64(DocumentIdentity.countMax) else {
      throw DecodingFailure(.outOfBounds("the number of documents"), at: start)
    }
    var identity: DocumentIdentity?
    var last: DocumentID?
    for _ in 0..<(head >> 1) {
      let start = reader.offset
      let id = try DocumentID(from: &reader)
      if let last, id <= last {
        throw DecodingFailure(.invalidValue("documents that don't ascend"), at: start)
      }
      last = id
      let next = DocumentIdentity(id, isOpen: head & 1 == 1)
      identity = identity?.joined(with: next) ?? next
    }
    self = identity
  }
}
