import CRDTStore

/// What apps and a server of a ``World`` tell each other.
enum OutboxMessage: WorldMessage {
  /// The call of an app that something belongs to.
  struct Call: Hashable, Sendable {
    /// How often the app has been started.
    var start: Int
    var number: Int
  }

  case push(Call, [OperationEnvelope])
  case pull(Call, PullRequest)
  case answers(Call, [OperationAnswer])
  case page(Call, PullPage)
  case failure(Call, RemoteError)

  /// About as much as the JSON of it.
  var byteCount: Int {
    switch self {
    case .push(_, let operations): 100 + 300 * operations.count
    case .pull, .failure: 200
    case .answers(_, let answers): 100 + 100 * answers.count
    case .page(_, let page): 200 + 200 * page.records.count
    }
  }
}
