import CRDTStore
import CRDTStoreTesting
import Foundation
import Testing

@Suite("Links to peers")
struct PeerLinkTests {
  @Test("A link in memory keeps the contract")
  func memory() async {
    for capacity in [1, 1 << 16] {
      let found = await PeerLinkContract.check {
        let (first, second) = MemoryLink.makePair(capacityBytes: capacity)
        return (first, second)
      }
      #expect(found.isEmpty, "\(capacity): \(found)")
    }
  }

  @Test("A link over pipes keeps the contract")
  func pipes() async {
    let found = await PeerLinkContract.check {
      let (first, second) = try DescriptorLink.makePair()
      return (first, second)
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("Links that break the contract are found out")
  func broken() async {
    for flaw in BrokenLink.Flaw.allCases {
      let found = await impatiently {
        await PeerLinkContract.check {
          let (first, second) = MemoryLink.makePair(
            capacityBytes: flaw == .takesEverything ? 1 << 30 : 1 << 16)
          return (BrokenLink(flaw, first), BrokenLink(flaw, second))
        }
      }
      #expect(!found.isEmpty, "\(flaw)")
    }
  }

  @Test("What came is handed out piece by piece, until the end")
  func incoming() async throws {
    let (first, second) = MemoryLink.makePair()
    try await first.send([1, 2])
    try await first.send([])
    try await first.send([3])
    first.close()
    var bytes: [UInt8] = []
    for try await piece in second.incoming { bytes += piece }
    #expect(bytes == [1, 2, 3])
  }

  @Test("A peer of a link over pipes may be a process, which is given the end")
  func process() async throws {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/cat")
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // The link closes its descriptors, and so do the handles.
    let link = try DescriptorLink(
      reading: dup(output.fileHandleForReading.fileDescriptor),
      writing: dup(input.fileHandleForWriting.fileDescriptor))
    try input.fileHandleForWriting.close()
    try output.fileHandleForReading.close()
    let wanted = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }
    let sending = Task { try await link.send(wanted) }
    var bytes: [UInt8] = []
    while bytes.count < wanted.count, let piece = try await link.receive() { bytes += piece }
    #expect(bytes == wanted)
    try await sending.value
    link.close()
    #expect(await eventually { !process.isRunning })
    #expect(process.terminationStatus == 0)
  }

  @Test("A descriptor that can't be read or written is told as the system tells it")
  func badDescriptors() async throws {
    // Each end of a pipe is used the wrong way round.
    let (there, back) = (Pipe(), Pipe())
    let link = try DescriptorLink(
      reading: dup(there.fileHandleForWriting.fileDescriptor),
      writing: dup(back.fileHandleForReading.fileDescriptor))
    try there.fileHandleForReading.close()
    await #expect(throws: PeerLinkError.system(SystemError("read", code: EBADF))) {
      while try await link.receive() != nil {}
    }
  }
}

/// A link with a flaw.
private final class BrokenLink: PeerLink {
  enum Flaw: CaseIterable {
    case losesBytes, repeatsBytes, takesEverything, forgetsAtClosing, ignoresClosing, hangs
    case losesToCancelled, staysOpen, sendsToNobody
  }

  private let flaw: Flaw
  private let inner: MemoryLink
  private let sent = Recorded<Int>()
  private static let kept = Recorded<MemoryLink>()

  init(_ flaw: Flaw, _ inner: MemoryLink) {
    self.flaw = flaw
    self.inner = inner
    if flaw == .staysOpen { Self.kept.append(inner) }
  }

  func send(_ bytes: [UInt8]) async throws(PeerLinkError) {
    sent.append(bytes.count)
    switch flaw {
    case .losesBytes where sent.values.count == 9: try await inner.send(bytes.dropLast())
    case .repeatsBytes where sent.values.count == 9: try await inner.send(bytes + bytes)
    case .sendsToNobody:
      do throws(PeerLinkError) { try await inner.send(bytes) } catch {
        if error != .closedByPeer { throw error }
      }
    case .forgetsAtClosing where bytes.count == 3_000: return
    default: try await inner.send(bytes)
    }
  }

  func receive() async throws(PeerLinkError) -> [UInt8]? {
    switch flaw {
    case .hangs: return await Task { [inner] in (try? await inner.receive()) ?? nil }.value
    case .losesToCancelled:
      let task = Task { [inner] in (try? await inner.receive()) ?? nil }
      let value = await SlowWait.value(of: task)
      if let value { return value }
      throw .cancelled
    default: return try await inner.receive()
    }
  }

  func close() {
    if flaw != .ignoresClosing { inner.close() }
  }
}

/// Waits for a task, but not when it is cancelled itself; the task goes on.
private enum SlowWait {
  static func value(of task: Task<[UInt8]?, Never>) async -> [UInt8]?? {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8]?.self)
    Task {
      continuation.yield(await task.value)
      continuation.finish()
    }
    for await value in stream { return .some(value) }
    return nil
  }
}

extension MemoryLink {
  fileprivate func send(_ bytes: ArraySlice<UInt8>) async throws(PeerLinkError) {
    try await send(Array(bytes))
  }
}
