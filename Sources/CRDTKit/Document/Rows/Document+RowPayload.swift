extension Document {
  /// The content of a row and the time when it was written; the dot's replica is the
  /// writer.
  public struct RowPayload: Sendable {
    /// The content of a row.
    enum Content: Sendable {
      /// A value.
      case value(Value)
      /// A value with the one it replaced, which a conflict shows as its ancestor.
      indirect case revision(Value, of: Alternative)
      /// The presence of an object, whose fields have rows of their own.
      case object
      /// The presence of a set, whose elements have rows of their own.
      case set
      /// The presence of a text, whose characters are elements of the table's texts.
      case text
      /// The presence of a list, whose elements have rows of their own.
      case list
      /// The element's membership in the set, or the list's element's place: the character of
      /// the event before.
      case member
      /// Where a mark of a text begins and ends, and its value.
      indirect case mark(ReplicatedText.MarkRow)
      /// The count of one replica, or the trace of a removed counter.
      case counter(CounterRow)
      /// The record's deletion, with the version of it that the writer had seen.
      case deletion(VersionVector)
    }

    /// The time of the stamp.
    let time: UInt64
    let content: Content

    init(_ content: Content, at time: UInt64) {
      self.content = content
      self.time = time
    }
  }
}

extension Document.RowPayload {
  /// A number computed from the kind, the time and the content, in this order.
  public var _fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    switch content {
    case .value(let value):
      fingerprint.combine(0)
      fingerprint.combine(time)
      fingerprint.combine(value._fingerprint)
    case .object, .set, .member, .text, .list:
      fingerprint.combine(content.mark)
      fingerprint.combine(time)
    case .mark(let row):
      fingerprint.combine(content.mark)
      fingerprint.combine(time)
      fingerprint.combine(row._fingerprint)
    case .revision, .counter, .deletion:
      var writer = ByteWriter()
      encode(to: &writer)
      fingerprint.combine(content.mark)
      writer.withBytes { fingerprint.combine($0) }
    }
    return fingerprint.value
  }
}

extension Document.RowPayload.Content {
  /// The number that distinguishes the kinds in a fingerprint.
  fileprivate var mark: UInt64 {
    switch self {
    case .value: 0
    case .object: 1
    case .set: 2
    case .member: 3
    case .revision: 4
    case .counter: 5
    case .deletion: 6
    case .text: 7
    case .list: 8
    case .mark: 9
    }
  }

  /// The value, if the row holds one by itself.
  var value: Document.Value? {
    switch self {
    case .value(let value), .revision(let value, of: _): value
    default: nil
    }
  }
}

extension Document.RowPayload: NamesReplicas {
  /// The payload after a line of events is renamed.
  @usableFromInline
  package func reissued(_ reissue: Reissue, isOwn: Bool) -> Self? {
    switch content {
    case .counter(let row):
      row.reissued(reissue, isOwn: isOwn).map { Self(.counter($0), at: time) }
    case .deletion(let seen):
      seen.reissued(reissue).map { Self(.deletion($0), at: time) }
    case .mark(let row): row.reissued(reissue, isOwn: isOwn).map { Self(.mark($0), at: time) }
    case .value, .revision, .object, .set, .member, .text, .list: nil
    }
  }

  @usableFromInline
  package var namedReplicas: ContiguousArray<ReplicaID> {
    switch content {
    case .counter(let row): row.namedReplicas
    case .deletion(let seen): ContiguousArray(seen.entries.lazy.map(\.replica))
    case .mark(let row): row.namedReplicas
    case .value, .revision, .object, .set, .member, .text, .list: []
    }
  }
}

extension VersionVector {
  /// The version after a line of events is renamed; `nil` if it has none of the events.
  fileprivate func reissued(_ reissue: Reissue) -> VersionVector? {
    let seen = self[reissue.replica]
    guard seen > reissue.parting else { return nil }
    var version = self
    version[reissue.replica] = reissue.parting
    version[reissue.name] = Swift.max(version[reissue.name], seen)
    return version
  }
}

extension Document.RowPayload: CanonicalCodable {
  /// The first byte of rows that are not values by themselves.
  private enum Mark: UInt8 {
    case object = 10
    case set, member, counter, deletion, other
  }

  /// The byte after `Mark.other`, unless that is the first one of a value: of a revision.
  private enum OtherMark: UInt8 {
    case text = 10
    case list, mark
  }

  /// The bit of the first byte which is set if the time is that of the previous row.
  private static var sameTime: UInt8 { 0x80 }

  /// Writes the payload as the first of its column.
  public func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  /// Reads the first payload of a column.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes the payload after another.
  ///
  /// The first byte states the kind, with a bit for the time of the previous row. The
  /// time follows if it differs, then the content.
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    encode(to: &writer, afterTime: previous?.time)
  }

  /// Writes the payload after another, of which it reads the time only; a value, as most
  /// rows have, is copied once.
  public static func _encode(
    _ payload: UnsafePointer<Self>, after previous: UnsafePointer<Self>?,
    to writer: inout ByteWriter
  ) {
    let previous = previous?.pointee.time
    guard case .value(let value) = payload.pointee.content else {
      return payload.pointee.encode(to: &writer, afterTime: previous)
    }
    write(value.head, payload.pointee.time, to: &writer, after: previous)
    value.encodeContent(to: &writer)
  }

  private func encode(to writer: inout ByteWriter, afterTime previous: UInt64?) {
    Self.write(head, time, to: &writer, after: previous)
    switch content {
    case .value(let value): value.encodeContent(to: &writer)
    case .object, .set, .member: break
    case .text: writer.write(OtherMark.text.rawValue)
    case .list: writer.write(OtherMark.list.rawValue)
    case .mark(let row):
      writer.write(OtherMark.mark.rawValue)
      row.encode(to: &writer)
    case .counter(let row): row.encode(to: &writer)
    case .deletion(let seen): seen.encode(to: &writer)
    case .revision(let value, of: let ancestor):
      value.encode(to: &writer)
      ancestor.value.encode(to: &writer)
      ancestor.timestamp.encode(to: &writer)
    }
  }

  private static func write(
    _ head: UInt8, _ time: UInt64, to writer: inout ByteWriter, after previous: UInt64?
  ) {
    let isSame = previous == time
    writer.write(head | (isSame ? sameTime : 0))
    guard !isSame else { return }
    writer.write(signedVarint: Int64(time >> 16) - Int64((previous ?? 0) >> 16))
    writer.write(varint: time & 0xFFFF)
  }

  private var head: UInt8 {
    switch content {
    case .value(let value): value.head
    case .object: Mark.object.rawValue
    case .set: Mark.set.rawValue
    case .member: Mark.member.rawValue
    case .counter: Mark.counter.rawValue
    case .deletion: Mark.deletion.rawValue
    case .revision, .text, .list, .mark: Mark.other.rawValue
    }
  }

  /// Reads a payload that was written after another.
  public init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure) {
    let depth = RecentNames.of(&reader).lastDepth
    try self.init(from: &reader, after: previous?.time, depth: depth)
  }

  /// Reads a payload that was written after one with a given time; `outer` names lead to
  /// the row.
  init(
    from reader: inout ByteReader, after previous: UInt64?, depth outer: Int
  ) throws(DecodingFailure) {
    let start = reader.offset
    let byte = try reader.readByte()
    let head = byte & ~Self.sameTime
    if byte & Self.sameTime != 0 {
      guard let previous else {
        throw DecodingFailure(.notCanonical("the time of a first row"), at: start)
      }
      time = previous
    } else {
      time = try Self.readTime(from: &reader, after: previous)
    }
    switch Mark(rawValue: head) {
    case .object: content = .object
    case .set: content = .set
    case .member: content = .member
    case .counter: content = .counter(try CounterRow(from: &reader))
    case .deletion: content = .deletion(try VersionVector(from: &reader))
    case .other: content = try Self.readOther(from: &reader)
    case nil:
      content = .value(try Document.Value(head: head, from: &reader, at: start))
    }
    // A value that can be read must be possible to write again at the same path.
    if outer + content.depth > Document.Value.maximumDepth {
      throw DecodingFailure(.nestedTooDeep, at: start)
    }
  }

  private static func readOther(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> Content {
    let start = reader.offset
    let byte = try reader.readByte()
    switch OtherMark(rawValue: byte) {
    case .text: return .text
    case .list: return .list
    case .mark: return .mark(try ReplicatedText.MarkRow(from: &reader))
    case nil:
      let value = try Document.Value(head: byte, from: &reader, at: start)
      let ancestor = try Document.Value(from: &reader)
      let stamp = try HybridTimestamp(from: &reader)
      return .revision(value, of: Document.Alternative(ancestor, at: stamp))
    }
  }

  private static func readTime(
    from reader: inout ByteReader, after previous: UInt64?
  ) throws(DecodingFailure) -> UInt64 {
    let start = reader.offset
    let difference = try reader.readSignedVarint()
    let (milliseconds, overflows) =
      Int64((previous ?? 0) >> 16).addingReportingOverflow(difference)
    let logical = try reader.readVarint()
    guard !overflows, (0...Int64(HybridTimestamp.maximumMilliseconds)).contains(milliseconds),
      logical <= 0xFFFF
    else { throw DecodingFailure(.outOfBounds("the time of a row"), at: start) }
    let time = UInt64(milliseconds) << 16 | logical
    guard time != previous else {
      throw DecodingFailure(.notCanonical("the time of a row"), at: start)
    }
    return time
  }
}

extension Document.RowPayload.Content {
  /// The number of nested arrays and objects in the row's content.
  fileprivate var depth: Int {
    switch self {
    case .value(.array(let values)): Document.Value.array(values).depth
    case .value(.object(let fields)): Document.Value.object(fields).depth
    case .revision(let value, of: let ancestor): max(value.depth, ancestor.value.depth)
    default: 0
    }
  }
}
