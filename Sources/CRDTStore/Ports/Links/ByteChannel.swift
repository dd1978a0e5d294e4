/// Bytes on their way in one direction, not more than some.
///
/// Each end may be a task, which takes up no thread while it waits, or a thread.
final class ByteChannel: @unchecked Sendable {
  private let monitor = Monitor()
  private let capacity: Int
  // All are guarded by the monitor.
  private var bytes: [UInt8] = []
  private var start = 0
  private var ending: Ending?
  private var refusal: PeerLinkError?
  /// The tasks that wait for a change, be they takers or putters.
  private var waiters: [Handover<Void>] = []

  /// How many bytes are handed out at once at most.
  static let pieceMax = 1 << 16

  private enum Ending {
    case end
    case failure(PeerLinkError)
  }

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  /// There will be no more bytes than those that wait; the reason is told after them.
  func finish(_ failure: PeerLinkError? = nil) {
    change {
      if ending == nil { ending = failure.map { .failure($0) } ?? .end }
    }
  }

  /// Nobody takes bytes any more: whoever puts some is told why.
  func abandon(_ reason: PeerLinkError = .closedByPeer) {
    change {
      if refusal == nil { refusal = reason }
      bytes = []
      start = 0
    }
  }

  /// Puts all bytes in, waiting for room.
  func put(_ new: [UInt8]) async throws(PeerLinkError) {
    var rest = new[...]
    while try putSome(&rest) {
      if Task.isCancelled { throw .cancelled }
      await wait { room > 0 || ending != nil || refusal != nil }
    }
  }

  /// Takes some bytes, waiting for them; `nil` when there will be none.
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
  /// Puts all bytes in from a thread, which waits for room.
  func putBlocking(_ new: [UInt8]) throws(PeerLinkError) {
    var rest = new[...]
    while try putSome(&rest) {
      monitor.withLock {
        while room == 0, ending == nil, refusal == nil { monitor.wait(for: .work) }
      }
    }
  }

  /// Takes some bytes on a thread, which waits for them; `nil` when there will be none.
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

  /// Puts in what there is room for; says whether some is left over.
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

  /// Takes what is there: `nil` if that is nothing yet, and a `nil` in it at the end.
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

  /// Changes something, and wakes all who wait.
  private func change<Value>(_ body: () -> Value) -> Value {
    let (value, waiting) = monitor.withLock {
      let value = body()
      monitor.ring(.work)
      defer { waiters = [] }
      return (value, waiters)
    }
    for continuation in waiting { continuation.resume() }
    return value
  }

  /// Waits until something was changed or the task is cancelled, unless there is
  /// something to do already.
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
