import CRDTKit
import CRDTStore

/// A note, as the app has it: plain values.
struct Note: Codable, Identifiable, Equatable, Sendable {
  let id: String
  var title: String
  var body = ""
  var tags: Set<String> = []
  var likes = 0
  var isPinned = false
  /// When it was made, in milliseconds since 1970.
  let created: UInt64
  /// When it was last changed.
  var updated: UInt64
}

/// How notes are merged: this is all that a store needs to know of them.
extension Note: Replicated {
  static let collection = "notes"

  static let rules = Rules(
    [CodingKeys.title: .manual, .body: .text, .tags: .set, .likes: .counter, .updated: .max],
    unique: [.title])

  func validate() throws {
    if title.allSatisfy(\.isWhitespace) { throw NotesRefusal("a note needs a title") }
    for tag in tags where tag.isEmpty || tag.contains(where: \.isWhitespace) {
      throw NotesRefusal("a tag is one word, and '\(tag)' isn't")
    }
  }
}

extension Note {
  /// Creates a note that nobody has seen yet.
  init(id: String = Note.makeID(), title: String, body: String = "", tags: Set<String> = []) {
    self.id = id
    self.title = title
    self.body = body
    self.tags = tags
    created = SystemClock().milliseconds
    updated = created
  }

  /// An identifier that is quick to type, and that no other device makes by chance
  /// before there are some hundred thousand notes.
  static func makeID() -> String {
    let letters = Array("23456789abcdefghjkmnpqrstuvwxyz")
    return String((0..<8).map { _ in letters[Int.random(in: letters.indices)] })
  }

  /// Whether an identifier can be typed, and stands in a line without quotation marks.
  static func isValid(id: String) -> Bool {
    let isPlain = { (byte: UInt8) in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "-"): true
      default: false
      }
    }
    return (1...64).contains(id.utf8.count) && id.utf8.first != UInt8(ascii: "-")
      && id.utf8.allSatisfy(isPlain)
  }
}

/// In which order notes are listed.
enum NoteOrder: String, CaseIterable {
  /// The ones changed last come first.
  case updated
  /// The newest come first.
  case created
  case title
  /// The ones with the most likes come first.
  case likes
}

extension NoteOrder {
  /// The notes in this order, those that are pinned before the others.
  func sorted(_ notes: some Sequence<Note>) -> [Note] {
    notes.sorted { left, right in
      if left.isPinned != right.isPinned { return left.isPinned }
      return precedes(left, right) ?? (left.id < right.id)
    }
  }

  /// Whether a note comes before another one; `nil` where this order doesn't say.
  private func precedes(_ left: Note, _ right: Note) -> Bool? {
    switch self {
    case .updated: left.updated == right.updated ? nil : left.updated > right.updated
    case .created: left.created == right.created ? nil : left.created > right.created
    case .title:
      left.title.lowercased() == right.title.lowercased()
        ? nil : left.title.lowercased() < right.title.lowercased()
    case .likes: left.likes == right.likes ? nil : left.likes > right.likes
    }
  }
}

/// The questions that the app asks of its notes.
extension Store.Query where Model == Note {
  /// The notes with a tag.
  static func tagged(_ tag: String) -> Self {
    Self { $0.tags.contains(tag) }
  }

  /// The notes in which a text stands, in whatever case.
  static func containing(_ text: String) -> Self {
    let text = text.lowercased()
    return Self { note in
      ([note.title, note.body] + note.tags).contains { $0.lowercased().contains(text) }
    }
  }
}
