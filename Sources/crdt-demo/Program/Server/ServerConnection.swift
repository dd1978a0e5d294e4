import CRDTSimulator
import CRDTStore
import Toolkit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    let input = try Syscalls.makePipe()
    let output: (reading: Int32, writing: Int32)
    do throws(Syscalls.Failure) {
      output = try Syscalls.makePipe()
    } catch {
      for end in [input.reading, input.writing] { Syscalls.closeDescriptor(end) }
      throw error
    }
    defer { for end in [input.reading, output.writing] { Syscalls.closeDescriptor(end) } }
    do throws(Syscalls.Failure) {
      try Syscalls.setNonBlocking(output.reading)
      try Syscalls.setNonBlocking(input.writing)
      process = try Syscalls.spawn(
        path, arguments: [Console.name, ReferenceServerCommand.name], input: input.reading,
        output: output.writing)
    } catch {
      for end in [output.reading, input.writing] { Syscalls.closeDescriptor(end) }
      throw error
    }
    (reading, writing) = (output.reading, input.writing)
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
    for _ in 0..<500 {
      if (try? Syscalls.reap(process)) != nil { return }
      Syscalls.sleep(milliseconds: 4)
    }
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
