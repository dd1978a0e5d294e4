/// A bounded buffer of bytes in one direction.
///
/// Each end may be a task, which blocks no thread while it waits, or a thread.
final class ByteChannel: @unchecked Sendable {
  private let monitor = Monitor()
  private let capacity: Int
  // All are guarded by the monitor.
  private var bytes: [UInt8] = []
  private var start = 0
  private var ending: Ending?
  private var refusal: PeerLinkError?
  /// The tasks that wait for a change, on either end.
  private var waiters: [Handover<Void>] = []

  /// The greatest number of bytes that one call takes.
  static let pieceMax = 1 << 16

  private enum Ending {
    case end
    case failure(PeerLinkError)
  }

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  /// Ends the stream after the buffered bytes, with an error if there is one.
  func finish(_ failure: PeerLinkError? = nil) {
    change {
      if ending == nil { ending = failure.map { .failure($0) } ?? .end }
    }
  }

  /// Stops the receiving end: further calls of `put` throw the reason.
  func abandon(_ reason: PeerLinkError = .closedByPeer) {
    change {
      if refusal == nil { refusal = reason }
      bytes = []
      start = 0
    }
  }

  /// Adds all bytes, and waits for room.
  func put(_ new: [UInt8]) async throws(PeerLinkError) {
    var rest = new[...]
    while try putSome(&rest) {
      if Task.isCancelled { throw .cancelled }
      await wait { room > 0 || ending != nil || refusal != nil }
    }
  }

  /// Waits for some bytes and takes them; `nil` at the end of the stream.
  func take() async throws(PeerLinkError) -> [UInt8]? {
    while true {
      switch try takeSome() {
      case .some(let piece): return piece
      case nil:
        if Task.isCancelled { throw .cancelled }
        await wait { count > 0 || ending != nil || refusal != nil }
      }
    }
  }
}

extension ByteChannel {
  /// Adds all bytes from a thread, which blocks until there is room.
  func putBlocking(_ new: [UInt8]) throws(PeerLinkError) {
    var rest = new[...]
    while try putSome(&rest) {
      monitor.withLock {
        while room == 0, ending == nil, refusal == nil { monitor.wait(for: .work) }
      }
    }
  }

  /// Takes some bytes on a thread, which blocks until there are some; `nil` at the end of
  /// the stream.
  func takeBlocking() throws(PeerLinkError) -> [UInt8]? {
    while true {
      if let piece = try takeSome() { return piece }
      monitor.withLock {
        while count == 0, ending == nil, refusal == nil { monitor.wait(for: .work) }
      }
    }
  }
}

extension ByteChannel {
  private var count: Int { bytes.count - start }
  private var room: Int { capacity - count }

  /// Adds as many bytes as there is room for.
  ///
  /// Returns whether some are left.
  private func putSome(_ rest: inout ArraySlice<UInt8>) throws(PeerLinkError) -> Bool {
    let failure = change { () -> PeerLinkError? in
      if ending != nil { return .closed }
      if let refusal { return refusal }
      let piece = rest.prefix(room)
      if start > capacity {
        bytes.removeFirst(start)
        start = 0
      }
      bytes += piece
      rest = rest.dropFirst(piece.count)
      return nil
    }
    if let failure { throw failure }
    return !rest.isEmpty
  }

  /// Takes the buffered bytes: `nil` if there are none yet, and a nested `nil` at the end.
  private func takeSome() throws(PeerLinkError) -> [UInt8]?? {
    let result = change { () -> Result<[UInt8]??, PeerLinkError> in
      if refusal != nil { return .failure(.closed) }
      if count > 0 {
        let piece = Array(bytes[start...].prefix(Self.pieceMax))
        start += piece.count
        if start == bytes.count {
          bytes.removeAll(keepingCapacity: true)
          start = 0
        }
        return .success(.some(piece))
      }
      switch ending {
      case .end: return .success(.some(nil))
      case .failure(let failure): return .failure(failure)
      case nil: return .success(nil)
      }
    }
    return try result.get()
  }

  /// Makes a change, and wakes all waiting tasks.
  private func change<Value>(_ body: () -> Value) -> Value {
    let (value, waiting) = monitor.withLock {
      let value = body()
      monitor.signal(.work)
      defer { waiters = [] }
      return (value, waiters)
    }
    for continuation in waiting { continuation.resume() }
    return value
  }

  /// Waits for a change or for the task's cancellation, unless it is already ready.
  private func wait(unless isReady: () -> Bool) async {
    await withTaskCancellationHandler {
      await Handover<Void>.wait { continuation in
        let waits = monitor.withLock {
          if isReady() || Task.isCancelled { return false }
          waiters.append(continuation)
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      change {}
    }
  }
}
