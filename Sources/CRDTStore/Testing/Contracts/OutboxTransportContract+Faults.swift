import CRDTKit
import CRDTStore

extension OutboxTransportContract.Client {
  private typealias Call = @Sendable () async -> RemoteError?

  /// A push and a pull, which return the error that they throw.
  private mutating func calls() -> [(name: String, call: Call)] {
    let (transport, change) = (transport, operation("e", "1", kind: .create))
    let request = Outbox.PullRequest(collection: collection)
    let push: Call = {
      await Self.error { () throws(RemoteError) in try await transport.push([change]) }
    }
    let pull: Call = {
      await Self.error { () throws(RemoteError) in try await transport.pull(request) }
    }
    return [("push", push), ("pull", pull)]
  }

  private static func error<Value>(
    of call: () async throws(RemoteError) -> Value
  ) async -> RemoteError? {
    do throws(RemoteError) { _ = try await call() } catch { return error }
    return nil
  }

  /// Checks a call whose task was cancelled before.
  mutating func checkCancelled() async {
    for (name, call) in calls() {
      let task = Task { () -> RemoteError? in
        while !Task.isCancelled { await Task.yield() }
        return await call()
      }
      task.cancel()
      let found = await Waiting.result { await task.value }
      expect(found, .cancelled, name, "a call by a cancelled task")
    }
  }

  mutating func checkFaults(
    _ setFault: @Sendable (TransportFault?) async throws -> Void
  ) async throws {
    let kinds: [(TransportFault, RemoteError.Kind)] = [
      (.noConnection, .networkUnavailable), (.brokenConnection, .timeout), (.silence, .timeout),
      (.status(401), .unauthorized), (.status(429, retryAfterSeconds: 7), .serverFailed),
      (.status(500), .serverFailed), (.status(502), .serverFailed), (.status(503), .serverFailed),
      (.status(503, retryAfterSeconds: 7), .serverFailed), (.status(504), .serverFailed),
    ]
    for (fault, kind) in kinds {
      try await setFault(fault)
      for (name, call) in calls() {
        let found = await Waiting.result(call)
        expect(found, kind, name, "\(fault)")
        guard case .status(_, let seconds?) = fault, let error = found ?? nil else { continue }
        report.expect(
          error.retryAfter == .seconds(seconds),
          "how long the server wants to be left alone is told, of a \(name)",
          "\(String(describing: error.retryAfter)) where it said \(seconds) seconds")
      }
    }
    try await setFault(.silence)
    for (name, call) in calls() {
      let found = await Self.cancelled(call)
      expect(found, .cancelled, name, "a call that is cancelled while it waits")
    }
    try await setFault(nil)
  }

  /// The result of a call that is cancelled while it waits for an answer; `nil` if it
  /// doesn't end.
  ///
  /// On a busy machine the cancellation may come after the transport has stopped waiting,
  /// which it may do after a tenth of the suite's limit. Such a result is inconclusive, and
  /// the call is repeated.
  private static func cancelled(_ call: @escaping Call) async -> RemoteError?? {
    let clock = ContinuousClock()
    var found: RemoteError??
    for _ in 0..<100 {
      let start = clock.now
      let task = Task { await call() }
      await Waiting.aWhile()
      task.cancel()
      let isInTime = clock.now - start < ContractPatience.limit / 10
      found = await Waiting.result { await task.value }
      guard !isInTime, let error = found ?? nil, error.kind != .cancelled else { return found }
    }
    return found
  }

  /// Records a violation unless a call failed as expected; no result means that it hasn't
  /// ended.
  private mutating func expect(
    _ found: RemoteError??, _ kind: RemoteError.Kind, _ call: String, _ fault: String
  ) {
    let rule = "a \(call) fails as '\(kind)' in case of: \(fault)"
    guard let found else { return report.expect(false, rule, "it doesn't end") }
    report.expect(found?.kind == kind, rule, found.map { "the error \($0)" } ?? "it has no error")
  }
}

/// A fault of a server or its connection, injected while a transport is checked.
public enum TransportFault: Hashable, Sendable {
  /// No connection can be made, for example because nobody listens.
  case noConnection
  /// The connection breaks after the request was sent, and before the answer.
  case brokenConnection
  /// The server takes the request and never answers.
  case silence
  /// The server answers every request with a status, and with `Retry-After` in seconds, if
  /// given.
  case status(Int, retryAfterSeconds: Int? = nil)
}
