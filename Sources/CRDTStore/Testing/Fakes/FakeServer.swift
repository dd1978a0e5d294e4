package import CRDTStore
package import CRDTStoreTesting

/// A way to a reference server in this process, which fails when it is told to.
package actor FakeTransport: Outbox.Transport {
  /// The server, and what goes wrong on the way to it.
  package var service = ReferenceService()
  /// How long an answer takes.
  package var latency: Duration = .zero
  /// How many operations came in each push that reached the server's door.
  package private(set) var pushSizes: [Int] = []

  /// The server's clock; it stands still where there is none.
  private var clock: (any WallClock)?

  /// Creates a way to a new server.
  package init() {}

  /// Lets the server's clock be another one.
  package func keepTime(by clock: any WallClock) {
    self.clock = clock
  }

  private func lookAtClock() {
    if let clock { service.server.now = clock.milliseconds }
  }

  /// Changes the server or the way to it.
  package func change(_ body: @Sendable (inout ReferenceService) -> Void) {
    lookAtClock()
    body(&service)
  }

  /// Lets answers take so long.
  package func setLatency(_ latency: Duration) {
    self.latency = latency
  }

  package func push(
    _ operations: [Outbox.Envelope]
  ) async throws(RemoteError) -> [Outbox.Answer] {
    try await wait()
    pushSizes.append(operations.count)
    lookAtClock()
    return try service.push(operations)
  }

  package func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
    try await wait()
    return try service.pull(request)
  }

  private func wait() async throws(RemoteError) {
    do {
      try await Task.sleep(for: latency)
    } catch {
      throw RemoteError(.cancelled)
    }
    if Task.isCancelled { throw RemoteError(.cancelled) }
  }
}
