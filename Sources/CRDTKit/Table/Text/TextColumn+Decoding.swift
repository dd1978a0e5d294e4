extension TextColumn {
  /// Decodes the elements of the events after a base, up to `seen`.
  @usableFromInline
  init(
    from reader: inout ByteReader, after base: UInt64, upTo seen: UInt64,
    of replica: ReplicaID, replicas: [ReplicaID]
  ) throws(DecodingFailure) {
    self.init()
    let start = reader.offset
    let count = try reader.readCount(of: "pages of text")
    guard count > 0 else {
      throw DecodingFailure(.notCanonical("a text without elements"), at: start)
    }
    var next = TextPage.start(of: base &+ 1)
    var runs = TextRunReader(after: base, upTo: seen, replicas: replicas)
    for _ in 0..<count {
      let first = try reader.readPageStart(after: &next, upTo: seen)
      pages.append(try runs.readPage(of: replica, first: first, from: &reader))
    }
    let length = try reader.readCount(of: "bytes of text")
    try reader.count(memory: length)
    let textStart = reader.offset
    let text = try reader.readBytes(length)
    let isRead = text.withUnsafeBufferPointer { bytes in
      var rest = bytes[...]
      for page in pages {
        guard let part = rest.popScalars(page.livingCount) else { return false }
        page.setText(UnsafeBufferPointer(rebasing: part))
      }
      return rest.isEmpty
    }
    guard isRead else { throw DecodingFailure(.invalidText, at: textStart) }
  }

  /// Decodes the elements of a column whose rows are at the given counters.
  @usableFromInline
  init(
    from reader: inout ByteReader, after base: UInt64, upTo seen: UInt64, of replica: ReplicaID,
    besides rows: CounterRuns, replicas: [ReplicaID]
  ) throws(DecodingFailure) {
    let start = reader.offset
    try self.init(from: &reader, after: base, upTo: seen, of: replica, replicas: replicas)
    var page = 0
    for run in rows.runs {
      while page < pages.count, pages[page].lastCounter < run.lowerBound { page += 1 }
      var next = page
      while next < pages.count, pages[next].first <= run.upperBound {
        guard (pages[next].slotsBetween(run) & pages[next].present).isEmpty else {
          throw DecodingFailure(.invalidValue("an event with a row and an element"), at: start)
        }
        next += 1
      }
    }
  }
}

/// Decodes the runs of elements of one column, in order; see `TextRunHead`.
private struct TextRunReader {
  private var anchors: TextAnchorReader
  /// The last element so far.
  private var last: (counter: UInt64, anchor: TextAnchor)?
  /// The first event that may have an element, and the last.
  private let (first, seen): (UInt64, UInt64)

  init(after base: UInt64, upTo seen: UInt64, replicas: [ReplicaID]) {
    anchors = TextAnchorReader(replicas: replicas)
    first = base &+ 1
    self.seen = seen
  }

  /// The runs of a page as far as they have been read.
  private struct PageRuns {
    let replica: ReplicaID
    let first: UInt64
    var runs: ContiguousArray<TextRun> = []
    var present = LiveBits()
    var dead = LiveBits()
    /// The slot after the last run, and the number of dead elements at that run's end.
    var slot: Int
    var deadBefore = 0
  }

  /// Reads the runs of a page, which has no text yet.
  mutating func readPage(
    of replica: ReplicaID, first counter: UInt64, from reader: inout ByteReader
  ) throws(DecodingFailure) -> TextPage {
    let start = reader.offset
    let word = try reader.readVarint()
    let count = word >> 1
    guard count > 0, count <= UInt64(TextPage.slotCount), count <= UInt64(reader.remaining)
    else { throw DecodingFailure(.outOfBounds("the number of runs of a text"), at: start) }
    let goesOn = word & 1 == 1
    // A page, its parts, and a run that goes on with one before.
    let newRuns = Int(count) - (goesOn ? 1 : 0)
    try reader.count(memory: 768 + newRuns * MemoryLayout<TextRun>.stride * 2)
    var page = PageRuns(
      replica: replica, first: counter, slot: counter < first ? Int(first &- counter) : 0)
    page.runs.reserveCapacity(Int(count))
    for run in 0..<count {
      try readRun(of: &page, goesOn: run == 0 && goesOn, from: &reader)
    }
    return TextPage(
      of: replica, first: counter, runs: page.runs, present: page.present, dead: page.dead)
  }

  private mutating func readRun(
    of page: inout PageRuns, goesOn: Bool, from reader: inout ByteReader
  ) throws(DecodingFailure) {
    let start = reader.offset
    let slots = try readSlots(of: &page, from: &reader)
    let counter = page.first &+ UInt64(slots.lowerBound)
    let end = page.first &+ UInt64(slots.upperBound) &- 1
    guard end <= seen else {
      throw DecodingFailure(.outOfBounds("an element of a text"), at: start)
    }
    let next = last.flatMap {
      $0.counter &+ 1 == counter ? $0.anchor.next(after: Dot(page.replica, $0.counter)) : nil
    }
    let anchor: TextAnchor
    if goesOn {
      guard let next else {
        throw DecodingFailure(.outOfBounds("the beginning of a run of a text"), at: start)
      }
      anchor = next
    } else {
      anchor = try anchors.read(of: Dot(page.replica, counter), from: &reader)
      guard anchor != next else {
        throw DecodingFailure(.notCanonical("a run of a text"), at: start)
      }
    }
    page.runs.append(TextRun(anchor, slot: slots.lowerBound, offset: 0))
    last = (end, anchor)
  }

  /// Reads which slots a run takes, and which of its elements are dead.
  private func readSlots(
    of page: inout PageRuns, from reader: inout ByteReader
  ) throws(DecodingFailure) -> Range<Int> {
    let start = reader.offset
    func check(_ condition: Bool) throws(DecodingFailure) {
      if !condition { throw DecodingFailure(.outOfBounds("a run of a text"), at: start) }
    }
    func checkForm(_ isCanonical: Bool) throws(DecodingFailure) {
      if !isCanonical { throw DecodingFailure(.notCanonical("a run of a text"), at: start) }
    }
    func readNumber(below end: Int) throws(DecodingFailure) -> Int {
      let number = try reader.readVarint()
      try check(number < UInt64(max(end, 0)))
      return Int(number)
    }
    let head = try reader.readByte()
    let room = TextPage.slotCount &- page.slot
    let skipped: Int
    switch TextRunHead.Gap(rawValue: head & 3) {
    case .one: skipped = 1
    case .deletions:
      skipped = page.deadBefore
      try checkForm(skipped >= 2)
    case .other:
      skipped = try readNumber(below: room &- 2) &+ 2
      try checkForm(skipped != page.deadBefore)
    case .none?, nil: skipped = 0
    }
    try check(skipped < room)
    let first = page.slot &+ skipped
    var count = Int(head &>> 4)
    if count == TextRunHead.longer { count &+= try readNumber(below: room) }
    if count == TextRunHead.toEnd {
      count = room &- skipped
    } else {
      try check(count < room &- skipped)
    }
    let run = first..<first &+ count
    page.present.insert(run)
    page.slot = run.upperBound
    page.deadBefore = 0
    switch TextRunHead.Dead(rawValue: head &>> 2 & 3) {
    case .all:
      page.dead.insert(run)
      page.deadBefore = count
    case .last:
      page.deadBefore = try readNumber(below: count)
      try check(page.deadBefore > 0)
      page.dead.insert(run.upperBound &- page.deadBefore..<run.upperBound)
    case .other:
      var next = first
      let last = try readNumber(below: count)
      for place in 0...last {
        let before = try readNumber(below: run.upperBound &- next)
        try check(before > 0 || place == 0)
        let start = next &+ before
        next = start &+ 1 &+ (try readNumber(below: run.upperBound &- start))
        page.dead.insert(start..<next)
        if next == run.upperBound { page.deadBefore = next &- start }
      }
      // Otherwise they would be all elements or the last ones.
      try checkForm(last > 0 || next < run.upperBound)
    case .none?, nil: break
    }
    return run
  }
}

/// Decodes the anchors of one column, in order.
private struct TextAnchorReader {
  let replicas: [ReplicaID]
  private var lastOwn: UInt64 = 0
  private var lastOther: UInt64 = 0
  private var starts: ContiguousArray<Dot> = []
  private var knownStarts: Set<Dot> = []

  init(replicas: [ReplicaID]) {
    self.replicas = replicas
  }

  mutating func read(
    of dot: Dot, from reader: inout ByteReader
  ) throws(DecodingFailure) -> TextAnchor {
    let start = reader.offset
    let word = try reader.readVarint()
    guard TextAnchorHead(word) == .standIns else {
      return try read(word, of: dot, at: start, from: &reader)
    }
    let count = word >> 3
    let anchor = try read(try reader.readVarint(), of: dot, at: start, from: &reader)
    let first = anchor.rightOriginOfNext
    guard word & 1 == 0, count > 0, count <= UInt64(TextPage.slotCount), !first.isStart,
      first.counter + count - 1 <= Dot.counterMax
    else { throw DecodingFailure(.outOfBounds("the anchor of a text"), at: start) }
    return anchor.standing(forNext: Int(count))
  }

  /// Decodes an anchor after its first number.
  private mutating func read(
    _ word: UInt64, of dot: Dot, at start: Int, from reader: inout ByteReader
  ) throws(DecodingFailure) -> TextAnchor {
    func check(_ condition: Bool) throws(DecodingFailure) {
      if !condition { throw DecodingFailure(.outOfBounds("the anchor of a text"), at: start) }
    }
    let (isLeft, head) = (word & 1 == 1, TextAnchorHead(word))
    let origin = head == .own ? dot.counter : head == .last ? lastOwn : lastOther
    guard head != .standIns, let counter = origin.counter(zigzag: word >> 3) else {
      throw DecodingFailure(.outOfBounds("the anchor of a text"), at: start)
    }
    var parent = Dot(dot.replica, counter)
    let isStart = head == .own && counter == dot.counter
    let textStart = isStart && isLeft ? try readStart(from: &reader) : .none
    if head == .other {
      parent.replica = try readReplica(from: &reader)
      lastOther = counter
      try check(parent.replica != dot.replica)
    } else if !isStart {
      try check(counter < dot.counter)
      let own = counter.zigzagDistance(from: dot.counter)
      let last = counter.zigzagDistance(from: lastOwn)
      guard TextAnchorHead.isShorter(last, than: own) == (head == .last) else {
        throw DecodingFailure(.notCanonical("the anchor of a text"), at: start)
      }
      lastOwn = counter
    }
    if isLeft, !isStart { return .left(of: parent) }
    let next = try reader.readVarint()
    var rightOrigin = Dot.none
    if next > 0 {
      guard let counter = parent.counter.counter(zigzag: next >> 1) else {
        throw DecodingFailure(.outOfBounds("the anchor of a text"), at: start)
      }
      rightOrigin = Dot(parent.replica, counter)
      if next & 1 == 1 {
        rightOrigin.replica = try readReplica(from: &reader)
        try check(rightOrigin.replica != parent.replica)
      }
      try check(rightOrigin.replica != dot.replica || rightOrigin.counter < dot.counter)
    }
    return .right(of: isStart ? textStart : parent, before: rightOrigin)
  }

  private mutating func readStart(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> Dot {
    let offset = reader.offset
    let place = try reader.readVarint()
    guard place <= UInt64(starts.count) else {
      throw DecodingFailure(.outOfBounds("the start of a text"), at: offset)
    }
    guard place == 0 else { return starts[Int(place) - 1] }
    try reader.count(memory: 4 * MemoryLayout<Dot>.stride)
    let start = Dot(try ReplicaID(from: &reader), try reader.readFixed(UInt64.self))
    guard start.counter & Dot.startBit != 0, knownStarts.insert(start).inserted else {
      throw DecodingFailure(.notCanonical("the start of a text"), at: offset)
    }
    starts.append(start)
    return start
  }

  private func readReplica(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> ReplicaID {
    let start = reader.offset
    let place = try reader.readVarint()
    guard place <= UInt64(replicas.count) else {
      throw DecodingFailure(.outOfBounds("the replica of an anchor"), at: start)
    }
    guard place == 0 else { return replicas[Int(place) - 1] }
    let replica = try ReplicaID(from: &reader)
    guard replicas.place(of: replica) == nil else {
      throw DecodingFailure(.notCanonical("the replica of an anchor"), at: start)
    }
    return replica
  }
}

extension TextAnchorHead {
  /// Creates what the first number of an anchor says.
  fileprivate init(_ word: UInt64) {
    self = TextAnchorHead(rawValue: UInt8(word >> 1 & 3)) ?? .own
  }
}

extension UInt64 {
  /// The counter at a distance, a number without sign; `nil` if there is none.
  func counter(zigzag distance: UInt64) -> UInt64? {
    let step = Int64(bitPattern: distance &>> 1) ^ -Int64(bitPattern: distance & 1)
    let counter = self &+ UInt64(bitPattern: step)
    return counter >= 1 && counter <= Dot.counterMax ? counter : nil
  }
}
