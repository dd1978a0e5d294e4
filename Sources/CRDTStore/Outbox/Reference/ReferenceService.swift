/// A reference server and the way to it: what can go wrong on the way, on demand.
package struct ReferenceService: Sendable {
  /// The server.
  package var server = ReferenceServer()
  /// Whether there is no way to the server.
  package var isDown = false
  /// Whether the server wants other credentials.
  package var wantsCredentials = false
  /// How many answers to pushes are lost, after the server has done what it was asked.
  package var answersToLose = 0
  /// What the next pushes fail with, before the server is asked.
  package var failures: [RemoteError] = []

  /// Creates a way to a new server.
  package init() {}
}

extension ReferenceService {
  /// Tells the server of operations.
  package mutating func push(
    _ operations: [OperationEnvelope]
  ) throws(RemoteError) -> [OperationAnswer] {
    try checkWay()
    if !failures.isEmpty { throw failures.removeFirst() }
    let answers = server.push(operations)
    if answersToLose > 0 {
      answersToLose -= 1
      throw RemoteError(.timeout, "the answer was lost")
    }
    return answers
  }

  /// Asks the server for a page.
  package func pull(_ request: PullRequest) throws(RemoteError) -> PullPage {
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
