import CRDTKit
import CRDTStore

/// A record of an app, of the kind that lists show.
struct Card: Codable, Identifiable, Sendable, Replicated {
  let id: String
  var title: String
  var body = "There was a lake."
  var tags: Set<String> = ["story"]
  var likes = 0

  static let collection = "cards"
  static let rules = Rules([CodingKeys.tags: .set, .likes: .counter])

  init(_ number: Int) {
    id = Elements.padded(number, 6)
    title = "Card \(number)"
  }
}

/// The same, of which a server is told.
struct QueuedCard: Codable, Identifiable, Sendable, Replicated {
  let id: String
  var title: String
  var body = "There was a lake."
  var tags: Set<String> = ["story"]
  var likes = 0

  static let collection = "queued"
  static let rules = Rules([CodingKeys.tags: .set, .likes: .counter])
  static let serverAccess = ServerAccess.queued

  init(_ number: Int) {
    id = Elements.padded(number, 6)
    title = "Card \(number)"
  }
}
