package import CRDTStore

/// A reference server behind a connection with fault injection.
package struct ReferenceService: Sendable {
  /// The server.
  package var server = ReferenceServer()
  /// Whether the server can't be reached.
  package var isDown = false
  /// Whether the server requires new credentials.
  package var wantsCredentials = false
  /// How many answers to pushes are lost after the server has applied the operations.
  package var answersToLose = 0
  /// The errors of the next pushes, which don't reach the server.
  package var failures: [RemoteError] = []

  /// Creates a service with a new server.
  package init() {}
}

extension ReferenceService {
  /// Pushes operations to the server.
  package mutating func push(
    _ operations: [Outbox.Envelope]
  ) throws(RemoteError) -> [Outbox.Answer] {
    try checkWay()
    if !failures.isEmpty { throw failures.removeFirst() }
    let answers = server.push(operations)
    if answersToLose > 0 {
      answersToLose -= 1
      throw RemoteError(.timeout, "the answer was lost")
    }
    return answers
  }

  /// Pulls a page from the server.
  package func pull(_ request: Outbox.PullRequest) throws(RemoteError) -> Outbox.PullPage {
    try checkWay()
    guard let page = server.pull(request) else {
      throw RemoteError(.serverRejected, "the cursor is not one of this server")
    }
    return page
  }

  private func checkWay() throws(RemoteError) {
    if isDown { throw RemoteError(.networkUnavailable, "the server is down") }
    if wantsCredentials { throw RemoteError(.unauthorized, "the token has expired") }
  }
}
