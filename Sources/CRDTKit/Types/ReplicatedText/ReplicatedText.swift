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
/// Ranges of a text can have *marks*: formats, links, comments. See ``mark(_:as:value:growing:by:)``.
///
/// To show a text in a text view, keep the copy that the view shows, and apply
/// ``changes(since:in:)`` to the view.
///
/// FugueMax: Weidner, Kleppmann, "The Art of the Fugue: Minimizing Interleaving in
/// Collaborative Text Editing", 2023. Marks: Litt, Lim, Kleppmann, van Hardenberg, "Peritext: A
/// CRDT for Collaborative Rich Text Editing", 2022.
@frozen
public struct ReplicatedText: TableBacked {
  /// One element for each scalar, and the rows of the marks.
  public var _table: DotTable<MarkKey, MarkRow>

  /// Creates an empty text that has seen no events.
  @inlinable
  public init() {
    _table = DotTable()
  }

  /// Creates the text from its elements and rows.
  @inlinable
  public init(_table table: DotTable<MarkKey, MarkRow>) {
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
}

extension ReplicatedText: ReplicatedTextProtocol, CustomDebugStringConvertible {
  /// None: it is the only text of its table.
  public var _start: Dot { .none }

  /// Calls the body with the rows of a mark, or those of all marks.
  public func _forEachMark(
    named name: String?, _ body: (Dot, MarkKey, MarkRow, UInt64) -> Void
  ) {
    OnlyTextMarks().forEachEntry(of: name.map(MarkKey.init(name:)), in: _table) {
      body($0.dot, $0.key, $0.row, $0.time)
    }
  }

  /// The type, the text and the version.
  public var debugDescription: String {
    "ReplicatedText(\(String(reflecting: string)), version: \(version))"
  }
}
