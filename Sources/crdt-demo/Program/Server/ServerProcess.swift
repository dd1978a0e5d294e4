import CRDTSimulator
import CRDTStore
import Dispatch
import Synchronization
import Toolkit

/// A transport that speaks to a reference server in a process of its own.
///
/// Calls wait for each other. An answer that doesn't come in time is dropped when it
/// comes after all.
final class ServerProcess: Outbox.Transport {
  private let queue = DispatchQueue(label: "reference-server")
  private let connection: ServerConnection

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - path: The program: this one, usually.
  ///   - timeoutMilliseconds: How long to wait for an answer.
  /// - Throws: What the system says where the program can't be started.
  init(
    path: String = Syscalls.executablePath, timeoutMilliseconds: Int = 10_000
  ) throws(Syscalls.Failure) {
    connection = try ServerConnection(path: path, timeoutMilliseconds: timeoutMilliseconds)
  }

  deinit {
    // No call is under way: each holds on to this.
    connection.stop()
  }

  func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
    let reply = try await ask(ServerRequest(id: 0, push: operations))
    guard let answers = reply.answers else { throw RemoteError(.unknown, "there are no answers") }
    return answers
  }

  func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
    let reply = try await ask(ServerRequest(id: 0, pull: request))
    guard let page = reply.page else { throw RemoteError(.unknown, "there is no page") }
    return page
  }

  /// Changes the server or the way to it.
  func control(_ control: ServerControl) async throws(RemoteError) {
    _ = try await ask(ServerRequest(id: 0, control: control))
  }

  /// The operations that the server has done, in order.
  func effects() async throws(RemoteError) -> [Outbox.Envelope] {
    try await ask(ServerRequest(id: 0, report: true)).effects ?? []
  }

  /// Ends the server, as a crash does.
  func stop() async {
    await withCheckedContinuation { continuation in
      queue.async { [connection] in
        connection.stop()
        continuation.resume()
      }
    }
  }

  private func ask(_ request: ServerRequest) async throws(RemoteError) -> ServerReply {
    let flag = CancellationFlag()
    if Task.isCancelled { flag.set() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { [self] in
          continuation.resume(returning: connection.ask(request, unless: flag))
        }
      }
    } onCancel: {
      flag.set()
    }
    let reply = try result.get()
    if let error = reply.error { throw error }
    return reply
  }
}

/// Whether someone has given up waiting.
final class CancellationFlag: Sendable {
  private let isRaised = Atomic(false)

  var isSet: Bool { isRaised.load(ordering: .relaxed) }

  func set() {
    isRaised.store(true, ordering: .relaxed)
  }
}
