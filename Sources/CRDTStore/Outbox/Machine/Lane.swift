/// The operation queue of one record.
///
/// Operations are sent one at a time, in order.
struct Lane {
  /// An operation and its position in the queue.
  struct Entry {
    var operation: Outbox.Operation
    /// Its position among all operations, in the order of their creation.
    let sequence: UInt64
    /// Whether the server may have received it.
    ///
    /// If so, its content must not change, because the server accepts only one content for
    /// an identifier.
    var mayBeKnown: Bool
    /// Whether the server may have applied it: it was sent, and the answer is unknown.
    var isInDoubt = false
    /// Whether it was in doubt before the latest attempt.
    var wasInDoubt = false
    /// Whether it may have been a dead letter before.
    ///
    /// This isn't stored, so every operation may have been one before the store was opened.
    var mayBeRetried = false
    /// Whether the record has been recreated since.
    ///
    /// The operation belongs to the earlier record of that name.
    var isPast = false
  }

  /// The state of a lane's first operation.
  enum Phase: Hashable {
    /// There is no first operation.
    case idle
    /// It can be sent.
    case ready
    /// It can be sent after a time.
    case waiting(untilMilliseconds: UInt64)
    /// It was sent in a batch that is not answered yet.
    case inFlight(batch: UInt64)
    /// It is being rebased on the server's record.
    case rebasing
  }

  var phase: Phase = .idle
  /// How often in a row the first operation had no final answer: it was in doubt, or had a
  /// conflict.
  var setbacks = 0
  /// Whether the first operation failed the whole request when it was sent alone.
  ///
  /// It must not share a batch then.
  var isSuspect = false
  /// The record's successive server versions.
  ///
  /// Operations of the lane made all but the first. Empty if they are unknown.
  ///
  /// Nobody else wrote in between, so an operation based on any of them can be based on the
  /// last.
  var chain: [String?] = []
  /// The latest queue position of the operations that made the versions.
  private var chainSequence: UInt64 = 0
  /// The dead letters.
  var dead: [Outbox.OperationID: Entry] = [:]

  private var entries: [Entry] = []
  /// How many entries were removed from the front.
  private var start = 0
}

extension Lane {
  /// The pending operations, in order.
  var pending: ArraySlice<Entry> { entries[start...] }

  var count: Int { entries.count - start }
  var isEmpty: Bool { count == 0 }

  /// The first pending operation.
  var head: Entry? { start < entries.count ? entries[start] : nil }
  var last: Entry? { start < entries.count ? entries[entries.count - 1] : nil }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
  }

  mutating func replaceLast(with entry: Entry) {
    entries[entries.count - 1] = entry
  }

  mutating func replaceHead(with entry: Entry) {
    entries[start] = entry
  }

  /// Changes the first operation.
  mutating func changeHead(_ body: (inout Entry) -> Void) {
    guard start < entries.count else { return }
    body(&entries[start])
  }

  /// Changes the pending operations.
  ///
  /// - Complexity: O(operations).
  mutating func changePending(_ body: (inout Entry) -> Void) {
    for place in start..<entries.count { body(&entries[place]) }
  }

  /// Removes the first operation.
  ///
  /// - Complexity: Amortized O(1).
  mutating func removeHead() -> Entry? {
    guard start < entries.count else { return nil }
    let head = entries[start]
    start += 1
    if start == entries.count {
      entries.removeAll()
      start = 0
    } else if start >= 16, start * 2 >= entries.count {
      entries.removeFirst(start)
      start = 0
    }
    return head
  }

  /// Records the version that an operation made from its base version.
  mutating func extendChain(with done: Entry, to version: String?) {
    guard let version else {
      chain = []
      return
    }
    let base = done.operation.baseVersion
    if chain.isEmpty || chain[chain.count - 1] != base { (chain, chainSequence) = ([base], 0) }
    chain.append(version)
    chainSequence = max(chainSequence, done.sequence)
  }

  /// Bases the first operation on the last version of the chain if its base is an earlier
  /// one.
  ///
  /// Returns whether it changed.
  ///
  /// A retried operation that is older than the latest operation of the chain keeps its
  /// base; otherwise it would undo later writes. The server answers it with its record, and
  /// only the changes that are still wanted are sent.
  ///
  /// - Complexity: O(operations since the version), amortized over them O(1).
  mutating func followChain() -> Bool {
    guard let head, !chain.isEmpty, head.sequence > chainSequence else { return false }
    guard let place = chain.firstIndex(of: head.operation.baseVersion) else {
      chain = []
      return false
    }
    // The operations after it are based on the same version or on later ones.
    chain.removeFirst(place)
    guard chain.count > 1, let last = chain.last else { return false }
    entries[start].operation.baseVersion = last
    return true
  }

  /// Changes all operations, including the dead letters.
  ///
  /// - Complexity: O(operations).
  mutating func changeEach(_ body: (inout Entry) -> Void) {
    changePending(body)
    for id in dead.keys {
      guard var entry = dead[id] else { continue }
      body(&entry)
      dead[id] = entry
    }
  }

  /// Removes a pending operation that is not the first.
  ///
  /// - Complexity: O(``count``).
  mutating func removePending(_ id: Outbox.OperationID) -> Entry? {
    guard let place = pending.firstIndex(where: { $0.operation.id == id }), place > start else {
      return nil
    }
    return entries.remove(at: place)
  }

  /// Inserts an operation by its queue position, but after the first `fixed` operations.
  ///
  /// - Complexity: O(``count``).
  mutating func insert(_ entry: Entry, after fixed: Int) {
    let place = entries[(start + fixed)...].firstIndex { $0.sequence > entry.sequence }
    entries.insert(entry, at: place ?? entries.count)
  }
}

/// An operation that made the server fail, and the server's message.
struct LaneFailure: Sendable {
  let slot: Int
  /// The operation's queue position.
  ///
  /// The failure is out of date if another operation is first now.
  let sequence: UInt64
  let message: String
}

/// A lane's turn: when its first operation can be sent, or its rank among those that can.
struct LaneTurn: Comparable {
  /// A time, or the operation's queue position.
  let rank: UInt64
  /// The lane.
  let slot: Int
  /// The operation's queue position.
  ///
  /// The turn is void if another operation is first now.
  let sequence: UInt64

  static func < (left: LaneTurn, right: LaneTurn) -> Bool {
    left.rank == right.rank ? left.sequence < right.sequence : left.rank < right.rank
  }
}
