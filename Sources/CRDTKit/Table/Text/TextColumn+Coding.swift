extension TextColumn {
  /// Encodes the elements of the events after a base: which events have one, and which of
  /// them are dead; then the runs, each with its distance from the one before and its
  /// anchor; then the text of the elements that aren't dead.
  ///
  /// Where runs begin follows from the anchors, not from how they are stored. Anchors name
  /// the given replicas, which are in ascending order, by their index.
  @usableFromInline
  func encode(to writer: inout ByteWriter, after base: UInt64, replicas: [ReplicaID]) {
    blocks().encode(to: &writer, after: base)
    var runs = TextRunWriter(replicas: replicas)
    var textSize = 0
    for page in pages {
      page.forEachRun { slots, anchor in
        runs.add(slots.count, at: page.counter(at: slots.lowerBound), of: page.replica, anchor)
      }
    }
    runs.finish(to: &writer)
    for page in pages { page.forEachLiving { textSize += $0.count } }
    writer.write(varint: UInt64(textSize))
    for page in pages { page.forEachLiving { writer.write(UnsafeRawBufferPointer($0)) } }
  }
}

extension TextPage {
  /// Calls the body with the text of the elements that aren't dead, in pieces.
  func forEachLiving(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    let living = present & ~dead
    if living == texted {
      return text.withUnsafeBufferPointer { body($0) }
    }
    let (text, texted) = (text, texted)
    text.withUnsafeBufferPointer { text in
      var (slot, offset) = (texted.next(from: 0), 0)
      while slot < Self.slotCount {
        let isLiving = living[slot]
        var end = isLiving ? living.nextGap(from: slot) : living.next(from: slot)
        end = min(end, texted.nextGap(from: slot))
        var next = offset &+ end &- slot
        if !isASCII {
          next = offset
          for _ in slot..<end { next &+= text[next].scalarLength }
        }
        if isLiving { body(UnsafeBufferPointer(rebasing: text[offset..<next])) }
        (slot, offset) = (texted.next(from: end), next)
      }
    }
  }
}

/// Encodes the runs of elements of one column, in order.
private struct TextRunWriter: ~Copyable {
  let replicas: [ReplicaID]
  private var writer = ByteWriter(capacity: 64)
  private var count = 0
  /// The number of elements since the beginning of the last run.
  private var distance = 0
  private var last: (counter: UInt64, anchor: TextAnchor)?
  /// The last parent of another replica.
  private var lastOther: UInt64 = 0
  /// The starts of texts that have been written.
  private var placesOfStarts: [Dot: UInt64] = [:]

  init(replicas: [ReplicaID]) {
    self.replicas = replicas
  }

  /// Adds consecutive elements, with the anchor of the first.
  mutating func add(
    _ elements: Int, at counter: UInt64, of replica: ReplicaID, _ anchor: TextAnchor
  ) {
    if !isContinued(by: anchor, at: counter, of: replica) {
      writer.write(varint: UInt64(distance))
      write(anchor, of: Dot(replica, counter))
      count += 1
      distance = 0
      last = (counter, anchor)
    }
    distance += elements
    last?.counter = counter + UInt64(elements) - 1
  }

  private func isContinued(
    by anchor: TextAnchor, at counter: UInt64, of replica: ReplicaID
  ) -> Bool {
    guard let last, last.counter + 1 == counter else { return false }
    return anchor == last.anchor.next(after: Dot(replica, last.counter))
  }

  private mutating func write(_ anchor: TextAnchor, of dot: Dot) {
    if anchor.standInCount > 0 {
      // The replica itself is no other one, so as such it says that elements stand for
      // dead ones.
      writer.write(varint: 2)
      write(dot.replica)
      writer.write(varint: UInt64(anchor.standInCount))
    }
    // An element is not its own parent, so as such it stands for the start of a text: as a
    // right child's for that of the only one, as a left child's for one that follows.
    let parent = anchor.parent.isStart ? dot : anchor.parent
    let isNamed = anchor.parent.isStart && !anchor.parent.isNone
    let isOther = parent.replica != dot.replica
    let distance = parent.counter.zigzagDistance(from: isOther ? lastOther : dot.counter)
    writer.write(
      varint: distance << 2 | (isOther ? 2 : 0) | (anchor.isLeft || isNamed ? 1 : 0))
    if isNamed { write(start: anchor.parent) }
    if isOther {
      write(parent.replica)
      lastOther = parent.counter
    }
    guard !anchor.isLeft else { return }
    guard !anchor.rightOrigin.isNone else { return writer.write(varint: 0) }
    let isThird = anchor.rightOrigin.replica != parent.replica
    let step = anchor.rightOrigin.counter.zigzagDistance(from: parent.counter)
    writer.write(varint: step << 1 | (isThird ? 1 : 0))
    if isThird { write(anchor.rightOrigin.replica) }
  }

  private mutating func write(start: Dot) {
    if let place = placesOfStarts[start] { return writer.write(varint: place) }
    placesOfStarts[start] = UInt64(placesOfStarts.count) + 1
    writer.write(varint: 0)
    start.replica.encode(to: &writer)
    writer.write(fixed: start.counter)
  }

  private mutating func write(_ replica: ReplicaID) {
    let place = replicas.place(of: replica)
    writer.write(varint: place.map { UInt64($0) + 1 } ?? 0)
    if place == nil { replica.encode(to: &writer) }
  }

  consuming func finish(to other: inout ByteWriter) {
    other.write(varint: UInt64(count))
    writer.withBytes { other.write($0) }
  }
}

extension UInt64 {
  /// The distance from another counter, which may be greater, as a number without sign.
  func zigzagDistance(from other: UInt64) -> UInt64 {
    let distance = Int64(bitPattern: self &- other)
    return UInt64(bitPattern: (distance &<< 1) ^ (distance &>> 63))
  }

  /// The counter at such a distance; `nil` if there is none.
  func counter(zigzag distance: UInt64) -> UInt64? {
    let step = Int64(bitPattern: distance &>> 1) ^ -Int64(bitPattern: distance & 1)
    let counter = self &+ UInt64(bitPattern: step)
    return counter >= 1 && counter <= Dot.counterMax ? counter : nil
  }
}

extension TextColumn {
  /// Decodes the elements of the events after a base, up to `seen`.
  @usableFromInline
  init(
    from reader: inout ByteReader, after base: UInt64, upTo seen: UInt64,
    of replica: ReplicaID, replicas: [ReplicaID]
  ) throws(DecodingFailure) {
    self.init()
    let start = reader.offset
    let blocks = try TextBlocks(from: &reader, after: base, upTo: seen)
    guard !blocks.isEmpty else {
      throw DecodingFailure(.notCanonical("a text without elements"), at: start)
    }
    var runs = try TextRunReader(from: &reader, replicas: replicas)
    for block in blocks.blocks {
      // A page, its parts, and a run that it continues.
      try reader.count(memory: 768)
      let page = TextPage(of: replica, first: block.first)
      try runs.read(block, into: page, from: &reader)
      pages.append(page)
    }
    try runs.finish(reader)
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
}

/// Decodes the runs of elements of one column, in order.
private struct TextRunReader {
  let replicas: [ReplicaID]
  /// The number of runs still to come.
  private var left: Int
  /// The number of elements before the next run.
  private var distance = 0
  private var last: (counter: UInt64, anchor: TextAnchor)?
  private var lastOther: UInt64 = 0
  private var starts: ContiguousArray<Dot> = []
  private var knownStarts: Set<Dot> = []

  init(from reader: inout ByteReader, replicas: [ReplicaID]) throws(DecodingFailure) {
    self.replicas = replicas
    left = try reader.readCount(of: "runs of text")
    let start = reader.offset
    if left > 0 { distance = Int(clamping: try reader.readVarint()) }
    guard distance == 0, left > 0 else {
      throw DecodingFailure(.notCanonical("the first run of a text"), at: start)
    }
  }

  /// Adds the runs of a block to its page, without their text.
  mutating func read(
    _ block: TextBlocks.Block, into page: TextPage, from reader: inout ByteReader
  ) throws(DecodingFailure) {
    page.setElements(block.present, dead: block.dead)
    var slot = block.present.next(from: 0)
    while slot < TextPage.slotCount {
      let counter = page.counter(at: slot)
      let isNext = last.map { $0.counter + 1 == counter } ?? false
      let anchor: TextAnchor
      if distance == 0, left > 0 {
        try reader.count(memory: MemoryLayout<TextRun>.stride * 2)
        let start = reader.offset
        anchor = try readAnchor(of: Dot(page.replica, counter), from: &reader)
        if isNext, let last,
          anchor == last.anchor.next(after: Dot(page.replica, last.counter))
        {
          throw DecodingFailure(.notCanonical("a run of a text"), at: start)
        }
        left -= 1
        if left > 0 {
          let start = reader.offset
          distance = Int(clamping: try reader.readVarint())
          guard distance > 0 else {
            throw DecodingFailure(.notCanonical("the length of a run of a text"), at: start)
          }
        }
      } else {
        guard isNext, let last else {
          throw reader.failure(.outOfBounds("the beginning of a run of a text"))
        }
        anchor = last.anchor.next(after: Dot(page.replica, last.counter))
      }
      var count = block.present.nextGap(from: slot) - slot
      if left > 0 { count = min(count, distance) }
      page.beginRun(anchor, at: slot)
      if left > 0 { distance -= count }
      last = (counter + UInt64(count) - 1, anchor)
      slot = block.present.next(from: slot + count)
    }
  }

  func finish(_ reader: borrowing ByteReader) throws(DecodingFailure) {
    guard left == 0 else { throw reader.failure(.outOfBounds("the number of runs of text")) }
  }

  private mutating func readAnchor(
    of dot: Dot, from reader: inout ByteReader
  ) throws(DecodingFailure) -> TextAnchor {
    let start = reader.offset
    var word = try reader.readVarint()
    var other = word & 2 == 2 ? try readReplica(from: &reader) : nil
    guard word == 2, other == dot.replica else {
      return try readAnchor(of: dot, word, other, at: start, from: &reader)
    }
    let count = try reader.readVarint()
    word = try reader.readVarint()
    other = word & 2 == 2 ? try readReplica(from: &reader) : nil
    let anchor = try readAnchor(of: dot, word, other, at: start, from: &reader)
    let first = anchor.rightOriginOfNext
    guard count > 0, count <= UInt64(TextPage.slotCount), !first.isStart,
      first.counter + count - 1 <= Dot.counterMax
    else { throw DecodingFailure(.outOfBounds("the anchor of a text"), at: start) }
    return anchor.standing(forNext: Int(count))
  }

  /// Decodes an anchor after its first number and the replica of the parent, if that is
  /// another one.
  private mutating func readAnchor(
    of dot: Dot, _ word: UInt64, _ other: ReplicaID?, at start: Int,
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> TextAnchor {
    func check(_ condition: Bool) throws(DecodingFailure) {
      if !condition { throw DecodingFailure(.outOfBounds("the anchor of a text"), at: start) }
    }
    let (isLeft, isOther) = (word & 1 == 1, other != nil)
    guard let counter = (isOther ? lastOther : dot.counter).counter(zigzag: word >> 2) else {
      throw DecodingFailure(.outOfBounds("the anchor of a text"), at: start)
    }
    var parent = Dot(dot.replica, counter)
    if let other {
      parent.replica = other
      lastOther = counter
      try check(parent.replica != dot.replica)
    }
    let isStart = parent == dot
    try check(isStart || isOther || parent.counter < dot.counter)
    if isLeft, !isStart { return .left(of: parent) }
    let textStart = isLeft ? try readStart(from: &reader) : .none
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
      try check(rightOrigin != parent)
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

extension TextColumn {
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
