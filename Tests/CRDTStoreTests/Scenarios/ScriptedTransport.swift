import CRDTStore

/// A transport with which a test does something before or after it is used.
struct ScriptedTransport: Outbox.Transport {
  let inner: any Outbox.Transport
  var beforePush: @Sendable ([Outbox.Envelope]) async throws(RemoteError) -> Void = { _ in }
  var afterPush: @Sendable ([Outbox.Answer]) async throws(RemoteError) -> [Outbox.Answer] = {
    (answers) throws(RemoteError) in answers
  }
  var afterPull: @Sendable (Outbox.PullRequest) async -> Void = { _ in }

  func push(
    _ operations: [Outbox.Envelope]
  ) async throws(RemoteError) -> [Outbox.Answer] {
    try await beforePush(operations)
    return try await afterPush(inner.push(operations))
  }

  func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
    let page = try await inner.pull(request)
    await afterPull(request)
    return page
  }
}
