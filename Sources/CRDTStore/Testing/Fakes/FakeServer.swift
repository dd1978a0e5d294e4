public import CRDTKit
public import CRDTStore

/// A server in memory, for tests of an app that syncs with one.
///
/// It is also the transport to it. It applies operations as *Servers* says, and fails on
/// demand.
///
///     let server = FakeServer()
///     let outbox = store.outbox(over: server)
///     await server.edit(Document.RecordID("e1", in: "errands"), ["title": "Milk"])
///     await outbox.sync(upon: .user)          // another app's change arrives
///     await server.setReachable(false)
///     await outbox.sync(upon: .user)          // what is written here waits
public actor FakeServer: Outbox.Transport {
  /// The server, and the faults of the connection to it.
  package var service = ReferenceService()
  /// The duration of each request.
  package var latency: Duration = .zero
  /// The number of operations in each push that arrived.
  package private(set) var pushSizes: [Int] = []

  /// The server's clock; its time stands still if there is none.
  private var clock: (any WallClock)?

  /// Creates a server without records.
  public init() {}
}

extension FakeServer {
  /// The server's record; `nil` if it never existed.
  public func record(_ id: Document.RecordID) -> Outbox.ServerRecord? {
    service.server.record(id)
  }

  /// The operations that the server has applied, in order.
  public var applied: [Outbox.Envelope] { service.server.effects }

  /// Changes fields of a record, or creates it, as another app does.
  public func edit(_ id: Document.RecordID, _ fields: [String: Document.Value]) {
    change { $0.server.edit(id, fields) }
  }

  /// Deletes a record, as another app does.
  public func delete(_ id: Document.RecordID) {
    change { $0.server.edit(id, [:], isDeleted: true) }
  }

  /// Sets whether requests reach the server.
  ///
  /// Those that don't fail with `networkUnavailable`.
  public func setReachable(_ isReachable: Bool) { service.isDown = !isReachable }

  /// Lets the next pushes fail with errors, before they reach the server.
  public func failNextPushes(with errors: [RemoteError]) { service.failures += errors }

  /// Loses the answers to the next pushes, which the server applies.
  ///
  /// The pushes fail with `timeout`.
  public func loseNextAnswers(_ count: Int) { service.answersToLose += count }

  /// Rejects operations that change a field, for a reason; `nil` accepts them again.
  public func reject(_ path: FieldPath, because reason: String?) {
    service.server.rejectedFields[path] = reason
  }

  /// Applies operations.
  public func push(
    _ operations: [Outbox.Envelope]
  ) async throws(RemoteError) -> [Outbox.Answer] {
    try await wait()
    pushSizes.append(operations.count)
    readClock()
    return try service.push(operations)
  }

  /// Returns the records that have changed since a cursor.
  public func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
    try await wait()
    return try service.pull(request)
  }
}

extension FakeServer {
  /// Uses a clock for the server's times.
  package func keepTime(by clock: any WallClock) { self.clock = clock }

  /// Changes the server or the connection to it.
  package func change(_ body: @Sendable (inout ReferenceService) -> Void) {
    readClock()
    body(&service)
  }

  /// Sets the duration of each request.
  package func setLatency(_ latency: Duration) { self.latency = latency }

  private func readClock() {
    if let clock { service.server.now = clock.milliseconds }
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
