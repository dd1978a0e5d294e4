import CRDTStore
import Dispatch
import Foundation
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

/// The pipes to a server in another process.
///
/// It waits on them, so that it belongs on a thread of its own. It is only ever used on
/// the one queue of its ``ServerProcess``, or when no one else has that any more: so it
/// may be handed there.
final class ServerConnection: @unchecked Sendable {
  private let process: Int32
  private let timeoutMilliseconds: Int
  private var reading: Int32
  private var writing: Int32
  private var lines = ServerLines()
  private var latestID = 0

  init(path: String, timeoutMilliseconds: Int) throws(Syscalls.Failure) {
    self.timeoutMilliseconds = timeoutMilliseconds
    (process, reading, writing) = try Syscalls.spawnOnPipes(
      path, arguments: [Console.name, ReferenceServerCommand.name])
  }

  /// Sends a request and waits for the reply to it.
  func ask(
    _ request: ServerRequest, unless flag: CancellationFlag
  ) -> Result<ServerReply, RemoteError> {
    guard !flag.isSet else { return .failure(RemoteError(.cancelled)) }
    guard writing >= 0 else {
      return .failure(RemoteError(.networkUnavailable, "the server has ended"))
    }
    latestID += 1
    var request = request
    request.id = latestID
    do throws(RemoteError) {
      let deadline = ContinuousClock.now + .milliseconds(timeoutMilliseconds)
      try write(ServerConversation.line(of: request), by: deadline, unless: flag)
      while true {
        if let reply = try nextReply(), reply.id == latestID { return .success(reply) }
        try wait(reading: [reading], by: deadline, unless: flag)
        try fill()
      }
    } catch {
      return .failure(error)
    }
  }

  /// Ends the server and waits until it is gone.
  func stop() {
    guard writing >= 0 else { return }
    for end in [reading, writing] { Syscalls.closeDescriptor(end) }
    (reading, writing) = (-1, -1)
    Syscalls.kill(process)
    _ = Syscalls.awaitEnd(of: process, milliseconds: 2_000)
  }

  private func write(
    _ bytes: [UInt8], by deadline: ContinuousClock.Instant, unless flag: CancellationFlag
  ) throws(RemoteError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count: Int
      do throws(Syscalls.Failure) {
        count = try Syscalls.write(writing, rest)
      } catch {
        throw RemoteError(.networkUnavailable, "the server doesn't listen: \(error.reason)")
      }
      rest = rest.dropFirst(count)
      if count == 0 { try wait(writing: [writing], by: deadline, unless: flag) }
    }
  }

  private func nextReply() throws(RemoteError) -> ServerReply? {
    do {
      guard let line = try lines.next() else { return nil }
      return try JSONDecoder().decode(ServerReply.self, from: Data(line))
    } catch {
      throw RemoteError(.unknown, "the server's answer can't be read: \(error)")
    }
  }

  private func fill() throws(RemoteError) {
    do throws(Syscalls.Failure) {
      let count = try lines.append { (bytes) throws(Syscalls.Failure) in
        try Syscalls.read(reading, onto: &bytes)
      }
      guard count != 0 else { throw Syscalls.Failure(call: "read", code: 0) }
    } catch {
      throw RemoteError(.timeout, "the server ended before it answered")
    }
  }

  /// Waits a moment for a pipe.
  private func wait(
    reading: [Int32] = [], writing: [Int32] = [], by deadline: ContinuousClock.Instant,
    unless flag: CancellationFlag
  ) throws(RemoteError) {
    guard !flag.isSet else { throw RemoteError(.cancelled) }
    guard ContinuousClock.now < deadline else {
      throw RemoteError(.timeout, "no answer in \(timeoutMilliseconds) ms")
    }
    _ = try? Syscalls.wait(reading: reading, writing: writing, milliseconds: 10)
  }
}
