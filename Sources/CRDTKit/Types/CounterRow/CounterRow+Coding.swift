extension CounterRow: CanonicalCodable {
  /// The first byte of a row.
  @usableFromInline
  enum Kind: UInt8 {
    case total, removed, laterTotal, laterRemoved, spannedTotal, spannedRemoved, totals
  }

  /// Encodes a kind byte and the contents.
  ///
  /// 0 is followed by the totals, 1 by the totals of all replicas. For later lives, 2 is
  /// followed by the life and the totals, 3 by the totals of all replicas and their
  /// lives. With stretches, 4 is followed by the life, the totals and the spans, 5 by the
  /// totals, lives and spans of all replicas. 6 is like 5, for a replica that had other
  /// names.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    switch content {
    case .total(let total):
      writer.write(Kind.total.rawValue)
      total.encode(to: &writer)
    case .removed(let totals):
      writer.write(Kind.removed.rawValue)
      totals.encode(to: &writer)
    case .laterTotal(let total, let life):
      writer.write(Kind.laterTotal.rawValue)
      writer.write(varint: life)
      total.encode(to: &writer)
    case .laterRemoved(let trace):
      let isSpanned = !trace.spans.isEmpty
      writer.write(isSpanned ? Kind.spannedRemoved.rawValue : Kind.laterRemoved.rawValue)
      if isSpanned { trace.encodeWithSpans(to: &writer) } else { trace.encode(to: &writer) }
    case .spannedTotal(let tally):
      writer.write(Kind.spannedTotal.rawValue)
      writer.write(varint: tally.life)
      tally.total.encode(to: &writer)
      tally.spans.encode(to: &writer)
    case .totals(let totals):
      writer.write(Kind.totals.rawValue)
      totals.encodeWithSpans(to: &writer)
    }
  }

  /// Decodes a row written by ``encode(to:)``.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let kind = Kind(rawValue: try reader.readByte())
    switch kind {
    case .total: content = .total(try Total(from: &reader))
    case .removed: content = .removed(try ReplicaTotals(from: &reader))
    case .laterTotal:
      let life = try Self.readLife(from: &reader)
      guard life > 0 else {
        throw DecodingFailure(.notCanonical("a counter's first life"), at: start)
      }
      content = .laterTotal(try Total(from: &reader), life: life)
    case .laterRemoved: content = .laterRemoved(try CounterTrace(from: &reader))
    case .spannedTotal?, .spannedRemoved?, .totals?:
      content = try Self.readSpanned(kind, from: &reader)
    case nil: throw DecodingFailure(.invalidValue("no kind of counter row"), at: start)
    }
  }

  /// The life of a counter.
  @usableFromInline
  static func readLife(from reader: inout ByteReader) throws(DecodingFailure) -> UInt64 {
    let start = reader.offset
    let life = try reader.readVarint()
    guard life <= lifeMax else {
      throw DecodingFailure(.outOfBounds("a counter's life"), at: start)
    }
    return life
  }

  /// Decodes the rest of a row with stretches, after its kind.
  @usableFromInline
  static func readSpanned(
    _ kind: Kind?, from reader: inout ByteReader
  ) throws(DecodingFailure) -> Content {
    let start = reader.offset
    switch kind {
    case .spannedTotal:
      let life = try readLife(from: &reader)
      let total = try Total(from: &reader)
      let spans = try CounterSpans(from: &reader, of: total, life: life)
      if !spans.isEmpty {
        return .spannedTotal(CounterTally(total, life: life, spans: spans))
      }
    case .spannedRemoved:
      let trace = try CounterTrace(spannedFrom: &reader)
      if !trace.spans.isEmpty { return .laterRemoved(trace) }
    default:
      let totals = try CounterTrace(spannedFrom: &reader)
      if totals.totals.count > 0 { return .totals(totals) }
    }
    throw DecodingFailure(.notCanonical("the stretches of a counter"), at: start)
  }
}
