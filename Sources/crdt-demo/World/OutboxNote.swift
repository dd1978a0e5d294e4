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

  /// The names of all that there may be with so many keys.
  static func names(_ keys: Int) -> [String] {
    (0..<keys).flatMap { [lasting($0), passing($0)] }
  }

  /// What there is with so many keys, as a digest and in words: the same for equal
  /// fields, whoever has them.
  static func summary(
    _ keys: Int, _ fields: (String) -> [String: Document.Value]?
  ) -> (digest: String, text: String) {
    var fingerprint = Fingerprint()
    var count = 0
    for name in names(keys) {
      guard let fields = fields(name) else { continue }
      count += 1
      for byte in "\(name): \(text(fields))".utf8 { fingerprint.combine(UInt64(byte)) }
    }
    return (fingerprint.value.hexadecimal, "\(count) notes")
  }

  /// The fields of a note, in words.
  static func text(_ fields: [String: Document.Value]?) -> String {
    guard let fields else { return "nothing" }
    return fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      .joined(separator: ", ")
  }

  static func record(_ name: String) -> Document.RecordID {
    Document.RecordID(name, in: collection)
  }
}
