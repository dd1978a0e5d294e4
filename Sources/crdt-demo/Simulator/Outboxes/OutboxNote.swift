import CRDTKit
import CRDTStore
import Toolkit

/// The model that the apps of a ``World`` store and sync with a server.
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

/// A change of a note that was confirmed to a user.
struct OutboxPromise: Equatable, Sendable {
  /// The event that it is; `nil` where someone else made it at the server.
  var dot: Dot?
  var name: String
  var likes = 0
  var tag: String?
  /// The title that it was given, and when: by the server's clock, or as an app stamped it,
  /// which is later than its clock where that had shown more.
  var title: String?
  var milliseconds: UInt64 = 0
  /// What was shown when it was given.
  var shown: String?
  /// What the app asks later what became of it.
  var receipt: Store.Receipt?

  /// The operations that answer for it: they may answer for others as well.
  var operations: [Outbox.OperationID] = []
  /// What of it lost before it was safe: the server's change came first.
  var losses: [OutboxLoss] = []
}

/// An operation with its lost changes, and the title that was shown instead.
struct OutboxLoss: Equatable, Sendable {
  var operation: Outbox.Operation
  var shown: String?
}

/// The counts of the exchanges between apps and a server of a ``World``.
struct OutboxTally: Tally, Equatable, Sendable, CustomStringConvertible {
  /// Sent operations, including repetitions.
  var sent = 0
  /// Operations that the server applied.
  var done = 0
  /// Operations that conflicted with a change of the server, which was applied first.
  var conflicts = 0
  /// Operations that lost to a later write, as a whole or in part.
  var superseded = 0
  /// Operations that became dead letters, including retried ones.
  var deadLetters = 0

  /// The counts in words.
  var description: String {
    "\(sent.grouped) operations sent, \(done.grouped) done, \(conflicts.counted("conflict")), "
      + "\(superseded.grouped) superseded, \(deadLetters.counted("dead letter"))"
  }

  static var fields: [WritableKeyPath<Self, Int>] {
    [\.sent, \.done, \.conflicts, \.superseded, \.deadLetters]
  }
}
