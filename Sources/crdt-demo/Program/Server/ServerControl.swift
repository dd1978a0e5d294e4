import CRDTKit
import CRDTStore

/// What is to become of a reference server, or of the way to it: what isn't said stays
/// as it is.
struct ServerControl: Codable, Equatable {
  /// Whether there is no way to the server.
  var isDown: Bool?
  /// Whether the server wants other credentials.
  var wantsCredentials: Bool?
  /// How long an answer takes.
  var latencyMillis: Int?
  /// How many answers to pushes are lost, after the server has done what it was asked.
  var answersToLose: Int?
  /// What the next pushes fail with.
  var failures: [RemoteError]?
  /// A field that the server takes no changes of any more, and why.
  var rejectField: Outbox.FieldIssue?
  /// Whether the server takes changes of all fields again.
  var acceptsAllFields: Bool?
  /// Operations on a record are put off so often.
  var delay: Delay?
  /// A record that someone else changes: the fields that it gets.
  var edit: Edit?

  struct Delay: Codable, Equatable {
    var entityType: String
    var entityId: String
    var count: Int
    var retryAfterMillis: Int?
  }

  struct Edit: Codable, Equatable {
    var entityType: String
    var entityId: String
    var fields: [String: Document.Value]?
    var isDeleted: Bool?
  }
}
