/// The payload of a row of a ``ReplicatedList``.
@frozen
public enum ListRowPayload<Content: CanonicalCodable>: Sendable {
  /// The element stands where the event before the row's own has put it.
  case place
  /// The element is removed, wherever others move it at the same time.
  case removed
  /// A row of the element's value.
  case value(Content)
}

extension ListRowPayload: PlacePayload {
  @inlinable
  var isPlace: Bool { if case .place = self { true } else { false } }
  @inlinable
  var isRemoval: Bool { if case .removed = self { true } else { false } }
}

extension ListRowPayload {
  /// The payload of the row in the element's value.
  @inlinable
  var content: Content? { if case .value(let content) = self { content } else { nil } }
}

extension ListRowPayload: NamesReplicas where Content: NamesReplicas {
  @usableFromInline
  package func reissued(_ reissue: Reissue, isOwn: Bool) -> ListRowPayload? {
    content?.reissued(reissue, isOwn: isOwn).map { .value($0) }
  }

  @usableFromInline
  package var namedReplicas: ContiguousArray<ReplicaID> { content?.namedReplicas ?? [] }
}

extension ListRowPayload: CanonicalCodable {
  /// The type code of the payload in the value.
  @inlinable
  public static var typeCode: [UInt8] { Content.typeCode }

  /// Writes the payload as the first of its column.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  /// Reads the first payload of a column.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes a byte for the kind, then the payload of the value's row.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: ListRowPayload?) {
    switch self {
    case .place: writer.write(0 as UInt8)
    case .removed: writer.write(1 as UInt8)
    case .value(let content):
      writer.write(2 as UInt8)
      content.encode(to: &writer, after: previous?.content)
    }
  }

  /// Reads a payload that was written after another one.
  @inlinable
  public init(
    from reader: inout ByteReader, after previous: ListRowPayload?
  ) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 0: self = .place
    case 1: self = .removed
    case 2: self = .value(try Content(from: &reader, after: previous?.content))
    default: throw DecodingFailure(.invalidValue("no kind of row of a list"), at: start)
    }
  }

  /// A number made from the kind and the payload of the value's row.
  @inlinable
  public var _fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    switch self {
    case .place: fingerprint.combine(0)
    case .removed: fingerprint.combine(1)
    case .value(let content):
      fingerprint.combine(2)
      fingerprint.combine(content._fingerprint)
    }
    return fingerprint.value
  }
}
