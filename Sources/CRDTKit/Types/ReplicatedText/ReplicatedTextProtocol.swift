/// A text that several replicas write in, to be read: a ``ReplicatedText``, or a
/// ``Document/Text`` of a document.
///
/// Positions in it are ``ReplicatedText/Index`` values. Those that stay valid while the text
/// changes are ``ReplicatedText/Anchor`` values.
public protocol ReplicatedTextProtocol: Sendable, CustomStringConvertible {
  /// The keys of the rows beside the text.
  associatedtype TableKey: Hashable & CanonicalCodable
  /// The payloads of the rows beside the text.
  associatedtype TablePayload: CanonicalCodable

  /// The table that has the text's characters.
  var _table: DotTable<TableKey, TablePayload> { get }
  /// What the first characters of the text are anchored to.
  var _start: Dot { get }

  /// Calls the body with the rows of a mark, or those of all marks if there is no name, in the
  /// order of their events: the event, the name, the row, and when it was written, or 0.
  func _forEachMark(
    named name: String?,
    _ body: (Dot, ReplicatedText.MarkKey, ReplicatedText.MarkRow, UInt64) -> Void)
}

// Other modules call these functions, so they are specialized here.
extension ReplicatedTextProtocol {
  /// A position in a text, in one of its states.
  public typealias Index = ReplicatedText.Index
  /// A unit in which positions and lengths are counted.
  public typealias Unit = ReplicatedText.Unit

  /// Whether there are no characters.
  public var isEmpty: Bool { count(in: .utf8) == 0 }

  /// Returns the length of the text.
  ///
  /// In lines, it is the number of line feeds and one more.
  @_specialize(where Self == ReplicatedText)
  public func count(in unit: Unit) -> Int {
    let size = _table.withOrder { order in
      let (lower, upper) = order.range(ofTextAt: _start)
      return upper - lower
    }
    return size[unit.size] + (unit == .lines ? 1 : 0)
  }

  /// The position of the first character.
  public var startIndex: Index { Index(offset: 0, events: _table.eventCount) }

  /// The position after the last character.
  public var endIndex: Index { Index(offset: count(in: .utf8), events: _table.eventCount) }

  /// Returns the position at an offset.
  ///
  /// An offset inside of a scalar gives the scalar's beginning, one before the start the
  /// start, and one past the end the end. In lines, it is the beginning of the line with
  /// that number, from 0.
  ///
  /// - Complexity: O(log n) for n runs of characters.
  @_specialize(where Self == ReplicatedText)
  public func index(_ offset: Int, in unit: Unit) -> Index {
    let place = _table.withOrder { order in
      if offset <= 0 { return 0 }
      let (lower, upper) = order.range(ofTextAt: _start)
      // A line begins after a line feed, which is one byte long.
      let (place, skipped) = unit == .lines ? (offset - 1, 1) : (offset, 0)
      guard place < (upper - lower)[unit.size],
        let found = order.location(of: place + lower[unit.size], in: unit.size, _table.texts)
      else { return (upper - lower).utf8 }
      return found.before + skipped - lower.utf8
    }
    return Index(offset: place, events: _table.eventCount)
  }

  /// Returns the offset of a position.
  ///
  /// In lines, it is the number of the line that the position is in, from 0.
  ///
  /// - Precondition: The index is of this text in its present state.
  /// - Complexity: O(log n) for n runs of characters.
  @_specialize(where Self == ReplicatedText)
  public func offset(of index: Index, in unit: Unit) -> Int {
    let offset = checked(index)
    return _table.withOrder { order in
      let (lower, upper) = order.range(ofTextAt: _start)
      guard offset < (upper - lower).utf8,
        let found = order.location(
          of: offset + lower.utf8, in: .utf8, counting: unit.size, _table.texts)
      else { return (upper - lower)[unit.size] }
      return found.before - lower[unit.size]
    }
  }

  /// The text between two positions.
  ///
  /// - Precondition: The indices are of this text in its present state.
  /// - Complexity: O(length of the result + log n) for n runs of characters.
  public subscript(range: Range<Index>) -> String { text(in: range) }

  @_specialize(where Self == ReplicatedText)
  private func text(in range: Range<Index>) -> String {
    let range = checked(range)
    return _table.withOrder { order in
      let lower = order.range(ofTextAt: _start).lower.utf8
      return order.text(in: lower + range.lowerBound..<lower + range.upperBound, of: _table.texts)
    }
  }

  /// Returns the offset of an index in UTF-8, which must be of the present state.
  func checked(_ index: Index) -> Int { _table.checked(index) }

  func checked(_ range: Range<Index>) -> Range<Int> { _table.checked(range) }

  /// The whole text; kept until the next change, or until another of the table is read.
  var string: String { _table.textString(at: _start) }

  /// The text.
  public var description: String { string }
}

extension String {
  /// Creates a string from a text that several replicas write.
  ///
  /// - Complexity: O(length of the text).
  public init(_ text: some ReplicatedTextProtocol) {
    self = text.string
  }
}

extension DotTable {
  /// Returns the offset of an index in UTF-8, which must be of the present state.
  func checked(_ index: ReplicatedText.Index) -> Int {
    precondition(
      index.events == eventCount,
      "the index is of another state of the text: make it anew, or keep an anchor")
    return index.offset
  }

  func checked(_ range: Range<ReplicatedText.Index>) -> Range<Int> {
    checked(range.lowerBound)..<checked(range.upperBound)
  }
}
