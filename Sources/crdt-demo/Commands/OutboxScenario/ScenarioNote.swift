import CRDTKit
import CRDTStore

/// A note of the outbox scenario, of which a server is told.
struct ScenarioNote: Codable, Identifiable, Replicated {
  let id: String
  var title: String
  var likes = 0

  static let collection = "notes"
  static let serverAccess = ServerAccess.queued
  static let rules = Rules([CodingKeys.likes: .counter])
}
