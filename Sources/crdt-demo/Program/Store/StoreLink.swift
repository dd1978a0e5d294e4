import CRDTKit
import CRDTStore
import Toolkit

/// A session of a store over two descriptors that never wait.
struct StoreLink {
  /// Why a session came to its end.
  enum Ending: Equatable {
    /// Both sides hold the same, as was asked for.
    case synchronized
    /// The peer says nothing more, or doesn't listen.
    case closed
    /// The peer kept the session waiting for too long.
    case tooSlow(PeerPatience.Fault)
    case failed(SyncFailure)
  }

  private let session: Store.Session
  private let reading: Int32
  private let writing: Int32
  /// What waits to be written, from an offset on.
  private var waiting: [UInt8] = []
  private var waitingStart = 0
  private var failure: SyncFailure?
  private var patience: PeerPatience
  /// The replica that the peer named when it greeted.
  private(set) var peerReplica: ReplicaID?
  private(set) var bytesSent = 0
  private(set) var bytesTaken = 0

  init(
    _ store: Store, reading: Int32, writing: Int32, limits: PeerLimits
  ) throws(CommandFailure) {
    session = store.session(limits: limits.session)
    patience = PeerPatience(limits)
    self.reading = reading
    self.writing = writing
    try Syscalls.reporting { () throws(Syscalls.Failure) in
      for end in [reading, writing] { try Syscalls.setNonBlocking(end) }
    }
  }

  /// Keeps the store in sync, until the peer is gone or too slow, or until both hold the
  /// same.
  mutating func run(untilSynchronized: Bool) throws(CommandFailure) -> Ending {
    defer { session.disconnect() }
    try take { (session) throws(StoreError) in try session.connect() }
    while true {
      if waiting.isEmpty {
        if let failure { return .failed(failure) }
        if untilSynchronized, session.isSynchronized { return .synchronized }
      }
      let ready = try wait()
      guard ready.canRead || ready.canWrite || patience.left > .zero else {
        return .tooSlow(patience.fault)
      }
      if ready.canWrite, !flush() { return failure.map { .failed($0) } ?? .closed }
      guard ready.canRead else { continue }
      guard let bytes = try read() else { return .closed }
      bytesTaken += bytes.count
      patience.note(bytes: bytes.count, areSaid: true)
      let events = session.store.document._table.eventCount
      try take { (session) throws(StoreError) in try session.receive(bytes) }
      if session.store.document._table.eventCount != events { patience.noteNews() }
      if let replica = session.peerReplica {
        peerReplica = replica
        patience.noteGreeting()
      }
      // Who says a little each moment would never be waited for.
      if failure == nil, patience.left < .milliseconds(1) { return .tooSlow(patience.fault) }
    }
  }

  /// Waits until there is something to read, or room for what waits.
  private mutating func wait() throws(CommandFailure) -> Syscalls.Readiness {
    // A peer that has all, and of which all has come, has nothing to do.
    if waiting.isEmpty, session.isSynchronized { patience.renew() }
    // Rounded up, so that the time is over when it was waited for.
    let span = min(60_000, Int(patience.left / .milliseconds(1)) + 1)
    let start = ContinuousClock.now
    defer { patience.spend(ContinuousClock.now - start) }
    // Both are waited for: where each side only wrote, neither would get on.
    let ready = try Syscalls.reporting { () throws(Syscalls.Failure) in
      try Syscalls.wait(
        reading: failure == nil ? [reading] : [], writing: waiting.isEmpty ? [] : [writing],
        milliseconds: span)
    }
    return Syscalls.Readiness(
      canRead: ready.contains(where: \.canRead), canWrite: ready.contains(where: \.canWrite))
  }

  /// What has come; `nil` at the end.
  private func read() throws(CommandFailure) -> [UInt8]? {
    var bytes: [UInt8] = []
    let count = try Syscalls.reporting { () throws(Syscalls.Failure) in
      try Syscalls.read(reading, onto: &bytes)
    }
    return count == 0 ? nil : bytes
  }

  /// Lets the session do something, and what it sends wait to be written.
  private mutating func take(
    _ step: (Store.Session) throws(StoreError) -> [Store.Session.Action]
  ) throws(CommandFailure) {
    let actions = try StoreCommand.stored { () throws(StoreError) in try step(session) }
    for action in actions {
      switch action {
      case .send(let bytes):
        waiting += bytes
        bytesSent += bytes.count
      case .close(let failure): self.failure = failure
      }
    }
  }

  /// Writes what there is room for; says whether anybody listens.
  private mutating func flush() -> Bool {
    while waitingStart < waiting.count {
      guard let count = try? Syscalls.write(writing, waiting[waitingStart...]) else { return false }
      patience.note(bytes: count, areSaid: false)
      if count == 0 { return true }
      waitingStart += count
    }
    waiting = []
    waitingStart = 0
    return true
  }
}
