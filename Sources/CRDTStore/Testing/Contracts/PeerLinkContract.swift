public import CRDTStore

/// The contract of `PeerLink`.
public enum PeerLinkContract {
  /// Creates both ends of a new link.
  public typealias Maker = @Sendable () async throws -> (any PeerLink, any PeerLink)

  /// Checks a kind of link.
  ///
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(_ make: Maker) async -> [ContractViolation] {
    var report = ContractReport("PeerLink")
    do {
      try await checkBytes(make, &report)
      try await checkPressure(make, &report)
      try await checkClosing(make, &report)
      try await checkClosedCalls(make, &report)
      try await checkPeerGone(make, &report)
      try await checkCancellation(make, &report)
      try await checkRelease(make, &report)
    } catch {
      report.note(error, "a link can be made")
    }
    return report.violations
  }

  /// Bytes whose subsequences all differ.
  private static let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }

  /// Checks both directions concurrently, with more bytes than the link buffers, in pieces
  /// of all sizes.
  private static func checkBytes(_ make: Maker, _ report: inout ContractReport) async throws {
    let (first, second) = try await make()
    let wanted = Array(bytes.prefix(300_000))
    func transfer(from sender: any PeerLink, to receiver: any PeerLink) -> Task<[UInt8]?, Never> {
      Task {
        let sending = Task {
          var (rest, size) = (wanted[...], 1)
          while !rest.isEmpty {
            try await sender.send(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
            size = size * 3 % 40_009 + 1
          }
        }
        defer { sending.cancel() }
        return await Waiting.result { await receiver.bytes(wanted.count) }
      }
    }
    let there = transfer(from: first, to: second)
    let back = transfer(from: second, to: first)
    for task in [there, back] {
      let found = await task.value
      report.expect(
        found == wanted, "all bytes come, in order and once",
        "\(found?.count ?? 0) of \(wanted.count) bytes, or others")
    }
    first.close()
    second.close()
  }

  private static func checkPressure(_ make: Maker, _ report: inout ContractReport) async throws {
    let (first, second) = try await make()
    let wanted = bytes
    let isSent = Locked(false)
    let sending = Task {
      try await first.send(wanted)
      isSent.withLock { $0 = true }
    }
    await Waiting.aWhile()
    await Waiting.aWhile()
    report.expect(
      !isSent.withLock { $0 }, "sending waits while the peer doesn't read",
      "\(wanted.count) bytes were taken")
    let found = await Waiting.result { await second.bytes(wanted.count) }
    report.expect(found == wanted, "what waited comes when the peer reads")
    let ends = await Waiting.until { isSent.withLock { $0 } }
    report.expect(ends, "sending goes on when the peer reads")
    sending.cancel()
    first.close()
    second.close()
  }

  /// Checks that the bytes sent before the end arrive, and then the end, repeatedly.
  private static func checkClosing(_ make: Maker, _ report: inout ContractReport) async throws {
    let (first, second) = try await make()
    let wanted = Array(bytes.prefix(3_000))
    let sent = await first.sending(wanted)
    report.expect(sent == .success(0), "bytes can be sent", "\(sent as Any)")
    first.close()
    first.close()
    let found = await Waiting.result { await second.bytes(.max) }
    report.expect(
      found == wanted, "what was sent before the link was closed comes",
      "\(found?.count ?? 0) of \(wanted.count) bytes, or others, or no end")
    let end = await second.receiving()
    report.expect(end == .success(nil), "after the end there is the end", "\(end as Any)")
    second.close()
  }

  private static func checkClosedCalls(_ make: Maker, _ report: inout ContractReport) async throws {
    let (first, second) = try await make()
    let waiting = Task { await first.receiving() }
    await Waiting.aWhile()
    first.close()
    let woken = await waiting.value
    report.expect(
      woken == .failure(.closed), "who waits for bytes is woken by closing", "\(woken as Any)")
    let sent = await first.sending([1])
    report.expect(
      sent == .failure(.closed), "nothing is sent over a closed link", "\(sent as Any)")
    let received = await first.receiving()
    report.expect(
      received == .failure(.closed), "nothing is received over a closed link", "\(received as Any)")
    second.close()
  }

  private static func checkPeerGone(_ make: Maker, _ report: inout ContractReport) async throws {
    let (first, second) = try await make()
    second.close()
    var last: Result<Int, PeerLinkError>? = .success(0)
    for _ in 0..<100 where last == .success(0) {
      last = await first.sending(Array(bytes.prefix(50_000)))
    }
    report.expect(
      last == .failure(.closedByPeer), "sending to a peer that is gone fails", "\(last as Any)")
    first.close()
  }

  private static func checkCancellation(
    _ make: Maker, _ report: inout ContractReport
  ) async throws {
    let (first, second) = try await make()
    let receiving = Task { await second.receiving() }
    await Waiting.aWhile()
    receiving.cancel()
    let cancelled = await Waiting.result { await receiving.value }
    report.expect(
      cancelled == .failure(.cancelled), "who is cancelled waits no longer for bytes",
      "\(cancelled as Any)")
    let wanted = Array(bytes.prefix(1_000))
    _ = await first.sending(wanted)
    let found = await Waiting.result { await second.bytes(wanted.count) }
    report.expect(found == wanted, "no byte is lost to one who was cancelled")
    let sending = Task { await first.sending(bytes) }
    await Waiting.aWhile()
    sending.cancel()
    let stopped = await Waiting.result { await sending.value }
    report.expect(
      stopped == .failure(.cancelled), "who is cancelled waits no longer for room",
      "\(stopped as Any)")
    first.close()
    second.close()
  }

  private static func checkRelease(_ make: Maker, _ report: inout ContractReport) async throws {
    let second = try await make().1
    let end = await second.receiving()
    report.expect(
      end == .success(nil), "a link that nobody holds any more is closed", "\(end as Any)")
    second.close()
  }
}

extension PeerLink {
  /// Receives a number of bytes, or all until the end.
  fileprivate func bytes(_ count: Int) async -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count, let piece = (try? await receive()) ?? nil {
      bytes += piece
      // An empty piece could repeat forever.
      if piece.isEmpty { break }
    }
    return bytes
  }

  /// The result of sending; `nil` if it takes too long.
  fileprivate func sending(_ bytes: [UInt8]) async -> Result<Int, PeerLinkError>? {
    let task = Task { () -> Result<Int, PeerLinkError> in
      do throws(PeerLinkError) {
        try await send(bytes)
        return .success(0)
      } catch {
        return .failure(error)
      }
    }
    return await withTaskCancellationHandler {
      await Waiting.settled { await task.value }
    } onCancel: {
      task.cancel()
    }
  }

  /// The result of receiving; `nil` if it takes too long.
  fileprivate func receiving() async -> Result<[UInt8]?, PeerLinkError>? {
    let task = Task { () -> Result<[UInt8]?, PeerLinkError> in
      do throws(PeerLinkError) {
        return .success(try await receive())
      } catch {
        return .failure(error)
      }
    }
    return await withTaskCancellationHandler {
      await Waiting.settled { await task.value }
    } onCancel: {
      task.cancel()
    }
  }
}
