/// A text that several replicas write in at the same time.
///
/// Concurrent insertions all stay, each in one piece: what two replicas write at the same
/// place stands one after the other and is never mixed letter by letter. A deletion removes
/// the characters that its replica has seen; what others insert among them at the same time
/// stays.
///
///     var body = ReplicatedText()
///     body.append("Hello world", by: phone)
///     var copy = body                                        // a copy is a branch
///     body.insert(", dear", at: body.index(5, in: .utf16), by: phone)
///     copy.replaceSubrange(copy.index(6, in: .utf16)..<copy.endIndex, with: "all", by: laptop)
///     body.merge(copy)
///     String(body)                                           // "Hello, dear all"
///
/// The elements are Unicode scalars, each inserted by an event of its own, because what is
/// one `Character` changes with the version of Unicode. Deleted elements leave a few bytes
/// where they stood, without their text.
///
/// To show a text in a text view, keep the copy that the view shows, and apply
/// ``changes(since:in:)`` to the view.
///
/// FugueMax: Weidner, Kleppmann, "The Art of the Fugue: Minimizing Interleaving in
/// Collaborative Text Editing", 2023.
@frozen
public struct ReplicatedText: TableBacked {
  /// One element for each scalar.
  public var _table: DotTable<NoPayload, NoPayload>

  /// Creates an empty text that has seen no events.
  @inlinable
  public init() {
    _table = DotTable()
  }

  /// Creates the text from its elements.
  @inlinable
  public init(_table table: DotTable<NoPayload, NoPayload>) {
    _table = table
  }

  /// The type code of texts.
  @inlinable
  public static var typeCode: [UInt8] { [44] }
}

extension ReplicatedText {
  /// A unit in which positions and lengths are counted.
  public enum Unit: Hashable, Sendable {
    /// Unicode scalars.
    case unicodeScalars
    /// UTF-16 code units, as `NSRange` and most text views count.
    case utf16
    /// UTF-8 bytes.
    case utf8
    /// Lines; a line ends with a line feed.
    case lines

    var size: TextUnit {
      switch self {
      case .unicodeScalars: .scalars
      case .utf16: .utf16
      case .utf8: .utf8
      case .lines: .lines
      }
    }
  }

  /// A position in a text, in one of its states.
  ///
  /// After the text has changed, it is no longer valid; an ``Anchor`` stays valid.
  public struct Index: Hashable, Comparable, Sendable {
    let offset: Int
    /// The number of events that the text had seen.
    let events: UInt64

    /// Orders indices by their place in the text.
    public static func < (left: Index, right: Index) -> Bool { left.offset < right.offset }
  }

  /// Whether there are no characters.
  public var isEmpty: Bool { count(in: .utf8) == 0 }

  /// Returns the length of the text.
  ///
  /// In lines, it is the number of line feeds and one more.
  public func count(in unit: Unit) -> Int {
    _table.withOrder { $0.tree.size[unit.size] } + (unit == .lines ? 1 : 0)
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
  public func index(_ offset: Int, in unit: Unit) -> Index {
    let place = _table.withOrder { order in
      if offset <= 0 { return 0 }
      guard unit == .lines else {
        return order.location(of: offset, in: unit.size, _table.texts)?.before
          ?? order.tree.size.utf8
      }
      // The line feed is one byte long.
      return order.location(of: offset - 1, in: .lines, _table.texts).map { $0.before + 1 }
        ?? order.tree.size.utf8
    }
    return Index(offset: place, events: _table.eventCount)
  }

  /// Returns the offset of a position.
  ///
  /// In lines, it is the number of the line that the position is in, from 0.
  ///
  /// - Precondition: The index is of this text in its present state.
  /// - Complexity: O(log n) for n runs of characters.
  public func offset(of index: Index, in unit: Unit) -> Int {
    let offset = checked(index)
    return _table.withOrder { order in
      order.location(of: offset, in: .utf8, counting: unit.size, _table.texts)?.before
        ?? order.tree.size[unit.size]
    }
  }

  /// The text between two positions.
  ///
  /// - Precondition: The indices are of this text in its present state.
  /// - Complexity: O(length of the result + log n) for n runs of characters.
  public subscript(range: Range<Index>) -> String {
    let range = checked(range)
    return _table.withOrder { $0.text(in: range, of: _table.texts) }
  }

  /// Returns the offset of an index in UTF-8, which must be of the present state.
  func checked(_ index: Index) -> Int { _table.checked(index) }

  func checked(_ range: Range<Index>) -> Range<Int> { _table.checked(range) }

  /// The whole text; kept until the next change.
  var string: String { _table.textString }
}

extension ReplicatedText: CustomStringConvertible, CustomDebugStringConvertible {
  /// The text.
  public var description: String { string }

  /// The type, the text and the version.
  public var debugDescription: String {
    "ReplicatedText(\(String(reflecting: string)), version: \(version))"
  }
}

extension String {
  /// Creates a string from a text that several replicas write.
  ///
  /// - Complexity: O(length of the text).
  public init(_ text: ReplicatedText) {
    self = text.string
  }
}
