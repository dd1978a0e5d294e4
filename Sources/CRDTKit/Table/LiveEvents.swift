/// The rows and elements of one replica that still live.
@frozen
@usableFromInline
package struct LiveEvents: Hashable, Sendable {
  @usableFromInline package let rows: CounterRuns
  @usableFromInline package let texts: TextBlocks

  @inlinable
  init(rows: CounterRuns = CounterRuns(), texts: TextBlocks = TextBlocks()) {
    self.rows = rows
    self.texts = texts
  }
}

extension LiveEvents {
  /// Encodes the rows' counters, then the elements.
  @usableFromInline
  func encode(to writer: inout ByteWriter) {
    rows.encode(to: &writer, after: 0, hasTexts: !texts.isEmpty)
    if !texts.isEmpty { texts.encode(to: &writer, after: 0) }
  }

  /// Decodes the rows and elements of the events up to a base.
  @usableFromInline
  init(from reader: inout ByteReader, upTo base: UInt64) throws(DecodingFailure) {
    let start = reader.offset
    let (rows, hasTexts) = try CounterRuns.read(from: &reader, after: 0, upTo: base)
    var texts = TextBlocks()
    if hasTexts {
      texts = try TextBlocks(from: &reader, after: 0, upTo: base)
      guard !texts.isEmpty else {
        throw DecodingFailure(.notCanonical("a text without elements"), at: start)
      }
    }
    self.init(rows: rows, texts: texts)
  }
}
