import CRDTStore

/// A line that a reference server is sent: one thing that it is to do.
struct ServerRequest: Codable, Equatable {
  /// What the reply is known by.
  var id: Int
  var push: [OperationEnvelope]?
  var pull: PullRequest?
  var control: ServerControl?
  /// Whether to tell of all that was done; what is asked for is how it is, even where
  /// the server is down.
  var report: Bool?
}
