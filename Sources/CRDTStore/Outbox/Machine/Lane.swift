/// The operations of one record: they are sent one after another, in order.
struct Lane {
  /// An operation and its place in the queue.
  struct Entry {
    var operation: OutboxOperation
    /// Its place among all operations: the order in which they were made.
    let sequence: UInt64
    /// Whether the server may have seen it: what it says must not change then, since
    /// what the server has of it is all that it takes of that identifier.
    var mayBeKnown: Bool
    /// Whether the server may have done it: it was sent, and what was answered isn't
    /// known.
    var isInDoubt = false
    /// Whether it was in doubt before it was sent the last time.
    var wasInDoubt = false
    /// Whether the record was made anew since: it is of another one of that name.
    var isPast = false
  }

  /// What the first operation of a lane is about.
  enum Phase: Hashable {
    /// There is none.
    case idle
    /// It can be sent.
    case ready
    /// It can be sent at a time.
    case waiting(untilMilliseconds: UInt64)
    /// It is on its way in a batch.
    case inFlight(batch: UInt64)
    /// It is being changed to fit what the server has.
    case rebasing
  }

  var phase: Phase = .idle
  /// How often in a row the first operation came back without having failed: in doubt,
  /// or for a conflict.
  var setbacks = 0
  /// Whether the first operation, sent alone, made the server fail as a whole, so that
  /// it must not be sent together with others.
  var isSuspect = false
  /// The versions that the record had at the server one after another, of which all
  /// but the first were made by operations of the lane; none where that isn't known.
  ///
  /// No one else has come in between: what is based on any of them is based on the last.
  var chain: [String?] = []
  /// The latest place in the queue of the operations that made the versions.
  private var chainSequence: UInt64 = 0
  /// The operations that failed for good.
  var dead: [OperationID: Entry] = [:]

  private var entries: [Entry] = []
  /// How many of the entries have left.
  private var start = 0
}

extension Lane {
  /// The operations that are to be sent, the first of them first.
  var pending: ArraySlice<Entry> { entries[start...] }

  var count: Int { entries.count - start }
  var isEmpty: Bool { count == 0 }

  /// The operation that is to be sent first.
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

  /// Changes the operations that are to be sent.
  ///
  /// - Complexity: O(operations).
  mutating func changePending(_ body: (inout Entry) -> Void) {
    for place in start..<entries.count { body(&entries[place]) }
  }

  /// Takes out the first operation.
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

  /// Notes which version an operation has made from the one that it was based on.
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

  /// Bases the first operation on the last version of the chain, if it is based on
  /// one before that; says whether it has changed.
  ///
  /// One that was made before the latest operation of the chain, and was retried since,
  /// stays as it is: it would undo what came later. The server gives its record for it, and
  /// only what still stands of it is sent.
  ///
  /// - Complexity: O(operations since the version), amortized over them O(1).
  mutating func followChain() -> Bool {
    guard let head, !chain.isEmpty, head.sequence > chainSequence else { return false }
    guard let place = chain.firstIndex(of: head.operation.baseVersion) else {
      chain = []
      return false
    }
    // Those that come after it are based on the same version or on later ones.
    chain.removeFirst(place)
    guard chain.count > 1, let last = chain.last else { return false }
    entries[start].operation.baseVersion = last
    return true
  }

  /// Changes all operations, those too that failed for good.
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

  /// Takes out an operation that is to be sent, and is not the first.
  ///
  /// - Complexity: O(``count``).
  mutating func removePending(_ id: OperationID) -> Entry? {
    guard let place = pending.firstIndex(where: { $0.operation.id == id }), place > start else {
      return nil
    }
    return entries.remove(at: place)
  }

  /// Puts an operation where it belongs by its place in the queue, but after the
  /// first so many.
  ///
  /// - Complexity: O(``count``).
  mutating func insert(_ entry: Entry, after fixed: Int) {
    let place = entries[(start + fixed)...].firstIndex { $0.sequence > entry.sequence }
    entries.insert(entry, at: place ?? entries.count)
  }
}

/// An operation over which the server failed, and what it said.
struct LaneFailure: Sendable {
  let slot: Int
  /// The operation's place in the queue: if another is first now, it is out of date.
  let sequence: UInt64
  let message: String
}

/// When the first operation of a lane can be sent, or has its turn.
struct LaneTurn: Comparable {
  /// A time, or the operation's place in the queue.
  let rank: UInt64
  /// The lane.
  let slot: Int
  /// The operation's place in the queue: if another is first now, the turn is void.
  let sequence: UInt64

  static func < (left: LaneTurn, right: LaneTurn) -> Bool {
    left.rank == right.rank ? left.sequence < right.sequence : left.rank < right.rank
  }
}
