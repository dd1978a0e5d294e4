import CRDTKit
import CRDTStore

/// What the apps of a ``World`` keep, and tell a server of.
///
/// Those in ``lasting(_:)`` are there from the beginning and never deleted; what they
/// must count in the end is known.
struct OutboxNote: Codable, Identifiable, Replicated {
  let id: String
  var title = ""
  var likes = 0
  var tags: Set<String> = []

  static let collection = "notes"
  static let serverAccess = ServerAccess.queued
  static let rules = Rules([CodingKeys.likes: .counter, .tags: .set])

  /// The name of a note that is never deleted.
  static func lasting(_ key: Int) -> String { "n\(key)" }

  /// The name of a note that is made and deleted.
  static func passing(_ key: Int) -> String { "x\(key)" }

  static func record(_ name: String) -> Document.RecordID {
    Document.RecordID(name, in: collection)
  }
}
