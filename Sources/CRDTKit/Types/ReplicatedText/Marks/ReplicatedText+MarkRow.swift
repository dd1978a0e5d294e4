extension ReplicatedText {
  /// The key of a row of a text: the name of a mark.
  public struct MarkKey: Hashable, Sendable {
    package let name: String

    /// The most bytes of UTF-8 that a name can have.
    package static let lengthMax = 1_024

    package init(name: String) {
      self.name = name
    }
  }

  /// The payload of a row of a text: where a mark begins and ends, and its value.
  public struct MarkRow: Hashable, Sendable {
    /// The greatest stamp, which only a hostile peer reaches.
    package static let stampMax = Dot.counterMax

    package var start: Anchor
    package var end: Anchor
    /// The value; `nil` if the row takes the mark away.
    package var value: String?
    /// The greatest stamp of the rows with the same name that the writer had seen, and one.
    package var stamp: UInt64

    package init(start: Anchor, end: Anchor, value: String?, stamp: UInt64) {
      self.start = start
      self.end = end
      self.value = value
      self.stamp = stamp
    }
  }
}

extension ReplicatedText.MarkKey: CanonicalCodable {
  /// Empty, because the type code of texts suffices.
  public static var typeCode: [UInt8] { [] }

  /// Writes the name as the first of its column.
  public func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  /// Reads the first name of a column.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes the name relative to the previous one.
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    name.encode(to: &writer, after: previous?.name)
  }

  /// Reads a name that was written after another one.
  public init(
    from reader: inout ByteReader, after previous: Self?
  ) throws(DecodingFailure) {
    let start = reader.offset
    name = try String(from: &reader, after: previous?.name)
    guard name.utf8.count <= Self.lengthMax else {
      throw DecodingFailure(.outOfBounds("the length of a mark's name"), at: start)
    }
  }

  /// A number made from the name.
  public var _fingerprint: UInt64 { name._fingerprint }
}

extension ReplicatedText.MarkRow: CanonicalCodable {
  /// Empty, because the type code of texts suffices.
  public static var typeCode: [UInt8] { [] }

  /// Writes the row as the first of its column.
  public func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  /// Reads the first row of a column.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes the stamp and the kinds of the anchors in one number, then the elements of the
  /// anchors, each relative to the one before, then the value.
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    var word = stamp << 5 | (start.side == .after ? 1 : 0) | (end.side == .after ? 2 : 0)
    if start.element != nil { word |= 4 }
    if end.element != nil { word |= 8 }
    if value != nil { word |= 16 }
    writer.write(varint: word)
    var last = previous.flatMap { $0.end.element ?? $0.start.element }
    for case let element? in [start.element, end.element] {
      Self.encode(element, to: &writer, after: last)
      last = element
    }
    value?.encode(to: &writer)
  }

  /// Reads a row that was written after another one.
  public init(
    from reader: inout ByteReader, after previous: Self?
  ) throws(DecodingFailure) {
    let place = reader.offset
    let word = try reader.readVarint()
    stamp = word >> 5
    guard stamp >= 1, stamp <= Self.stampMax else {
      throw DecodingFailure(.outOfBounds("the stamp of a mark"), at: place)
    }
    start = ReplicatedText.Anchor(element: nil, side: word & 1 == 0 ? .before : .after)
    end = ReplicatedText.Anchor(element: nil, side: word & 2 == 0 ? .before : .after)
    var last = previous.flatMap { $0.end.element ?? $0.start.element }
    if word & 4 != 0 { start.element = try Self.element(from: &reader, after: last) }
    last = start.element ?? last
    if word & 8 != 0 { end.element = try Self.element(from: &reader, after: last) }
    guard start.element != nil || start.side == .after, end.element != nil || end.side == .before
    else {
      throw DecodingFailure(
        .invalidValue("a mark that begins at the text's end, or ends at its start"), at: place)
    }
    value = word & 16 == 0 ? nil : try String(from: &reader)
  }

  private static func encode(_ element: Dot, to writer: inout ByteWriter, after last: Dot?) {
    let isOther = last?.replica != element.replica
    let distance = element.counter.zigzagDistance(from: last?.counter ?? 0)
    writer.write(varint: distance << 1 | (isOther ? 1 : 0))
    if isOther { element.replica.encode(to: &writer) }
  }

  private static func element(
    from reader: inout ByteReader, after last: Dot?
  ) throws(DecodingFailure) -> Dot {
    let start = reader.offset
    let word = try reader.readVarint()
    guard let counter = (last?.counter ?? 0).counter(zigzag: word >> 1) else {
      throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
    }
    var replica = last?.replica
    if word & 1 == 1 {
      replica = try ReplicaID(from: &reader)
      if replica == last?.replica { replica = nil }
    }
    guard let replica else {
      throw DecodingFailure(.notCanonical("the replica of a mark's anchor"), at: start)
    }
    return Dot(replica, counter)
  }

  /// A number made from all parts.
  public var _fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    for anchor in [start, end] {
      fingerprint.combine(anchor.element?.replica.rawValue ?? 0)
      fingerprint.combine((anchor.element?.counter ?? 0) << 1 | (anchor.side == .after ? 1 : 0))
    }
    fingerprint.combine(stamp << 1 | (value == nil ? 0 : 1))
    if let value { fingerprint.combine(value._fingerprint) }
    return fingerprint.value
  }
}

extension ReplicatedText.MarkRow: NamesReplicas {
  /// Returns the row after a line of events was renamed, if that inserted what it is anchored to.
  @usableFromInline
  package func reissued(_ reissue: Reissue, isOwn: Bool) -> Self? {
    var row = self
    row.start.element = start.element?.reissued(reissue)
    row.end.element = end.element?.reissued(reissue)
    return row == self ? nil : row
  }

  @usableFromInline
  package var namedReplicas: ContiguousArray<ReplicaID> {
    ContiguousArray([start.element, end.element].compactMap { $0?.replica })
  }
}

extension Dot {
  fileprivate func reissued(_ reissue: Reissue) -> Dot {
    replica == reissue.replica && counter > reissue.parting ? Dot(reissue.name, counter) : self
  }
}
