import CRDTKit
import CRDTStore

/// A note with a field under every rule that a server may meet; without the counter where
/// there are peers beside the server.
struct ScenarioNote: Codable, Hashable, Identifiable, Replicated {
  let id: String
  var title = ""
  var body = ""
  var tags: Set<String> = []
  var likes = 0
  var stage = "new"
  var nickname = ""

  static let collection = "notes"
  static let serverAccess = ServerAccess.queued
  static var rules: Rules { hasPeers ? shared : shared.with(["likes": .counter]) }
  @TaskLocal static var hasPeers = false

  private static let shared = Rules([
    CodingKeys.body: .manual, .tags: .set,
    .stage: .preferring([.authority(named: "server")]),
    .nickname: .preferringOthers(than: [.authority(named: "server")]),
  ])

  func validate() throws {
    if title == "forbidden" { throw Invalid() }
  }

  struct Invalid: Error {}
}

/// A person, whose fields are merged one by one.
struct ScenarioContact: Codable, Hashable, Identifiable, Replicated {
  let id: String
  var name = ""
  var email = ""
  var phone = ""

  static let collection = "contacts"
  static let serverAccess = ServerAccess.queued
  static let rules = Rules([CodingKeys: Schema.FieldRule](), unique: [.email])
}

/// What a thing costs: the server's alone.
struct ScenarioPrice: Codable, Hashable, Identifiable, Replicated {
  let id: Int
  var cents = 0

  static let collection = "prices"
  static let serverAccess = ServerAccess.readOnly
}

/// What must never wait in a queue.
struct ScenarioPayment: Codable, Hashable, Identifiable, Replicated {
  let id: String
  var cents = 0
  var memo = ""

  static let collection = "payments"
  static let serverAccess = ServerAccess.onlineOnly
}

/// What is deleted for good, even if someone changes it meanwhile.
struct ScenarioTask: Codable, Hashable, Identifiable, Replicated {
  let id: String
  var text = ""

  static let collection = "tasks"
  static let serverAccess = ServerAccess.queued
  static let rules = Rules([CodingKeys: Schema.FieldRule](), deletion: .deleteWins)
}

/// What is deleted or kept, whichever was said last.
struct ScenarioVisit: Codable, Hashable, Identifiable, Replicated {
  let id: String
  var text = ""

  static let collection = "visits"
  static let serverAccess = ServerAccess.queued
  static let rules = Rules([CodingKeys: Schema.FieldRule](), deletion: .lastWriterWins)
}
