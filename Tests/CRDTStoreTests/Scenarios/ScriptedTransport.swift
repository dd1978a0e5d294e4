import CRDTStore

/// A transport with which a test does something before or after it is used.
struct ScriptedTransport: OutboxTransport {
  let inner: any OutboxTransport
  var beforePush: @Sendable ([OperationEnvelope]) async throws(RemoteError) -> Void = { _ in }
  var afterPush: @Sendable ([OperationAnswer]) async throws(RemoteError) -> [OperationAnswer] = {
    (answers) throws(RemoteError) in answers
  }
  var afterPull: @Sendable (PullRequest) async -> Void = { _ in }

  func push(
    _ operations: [OperationEnvelope]
  ) async throws(RemoteError) -> [OperationAnswer] {
    try await beforePush(operations)
    return try await afterPush(inner.push(operations))
  }

  func pull(_ request: PullRequest) async throws(RemoteError) -> PullPage {
    let page = try await inner.pull(request)
    await afterPull(request)
    return page
  }
}
