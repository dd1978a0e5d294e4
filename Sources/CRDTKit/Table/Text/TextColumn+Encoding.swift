extension TextColumn {
  /// Encodes the elements of the events after a base: for each page its runs, each with its
  /// anchor and which of its elements are dead; then the text of those that aren't.
  ///
  /// Anchors name the given replicas, which are in ascending order, by their index.
  @usableFromInline
  func encode(to writer: inout ByteWriter, after base: UInt64, replicas: [ReplicaID]) {
    writer.write(varint: UInt64(pages.count))
    var next = TextPage.start(of: base &+ 1)
    var runs = TextRunWriter(after: base, replicas: replicas)
    for page in pages {
      writer.write(pageStart: page.first, after: &next)
      runs.write(page, to: &writer)
    }
    var textSize = 0
    for page in pages { page.forEachLiving { textSize += $0.count } }
    writer.write(varint: UInt64(textSize))
    for page in pages { page.forEachLiving { writer.write(UnsafeRawBufferPointer($0)) } }
  }
}

extension TextPage {
  /// Calls the body with the text of the elements that aren't dead, in pieces.
  func forEachLiving(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    if textedCount == livingCount {
      return text.withUnsafeBufferPointer { body($0) }
    }
    let (text, texted, living) = (text, texted, present & ~dead)
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

/// The first byte of a run in encoded text: in its lower half, what says how many slots are
/// left out before it and which of its elements are dead; in its upper half, its length.
enum TextRunHead {
  /// How many slots are left out before a run.
  enum Gap: UInt8 {
    case none, one
    /// As many as there are dead elements at the end of the run before, more than one: as if
    /// each was deleted by an event of its own, right after it was written.
    case deletions
    /// As many as a number says that follows, and 2.
    case other
  }

  /// Which elements of a run are dead.
  enum Dead: UInt8 {
    case none, all
    /// The last ones; their number follows.
    case last
    /// Others; the number of their runs follows, less one, and then each run: the elements
    /// before it, and its length less one.
    case other
  }

  /// Says that the run takes all slots up to the end of its page.
  static var toEnd: Int { 0 }
  /// Says that the length follows, less this number.
  static var longer: Int { 15 }
}

/// Encodes the runs of elements of one column, in order.
private struct TextRunWriter: ~Copyable {
  private var anchors: TextAnchorWriter
  /// The last element so far.
  private var last: (counter: UInt64, anchor: TextAnchor)?
  /// The first event that may have an element.
  private let first: UInt64
  /// The slot after the last run in the page, and the number of dead elements at its end.
  private var (slot, deadBefore) = (0, 0)

  init(after base: UInt64, replicas: [ReplicaID]) {
    anchors = TextAnchorWriter(replicas: replicas)
    first = base &+ 1
  }

  /// Writes twice the number of a page's runs, and 1 if the first goes on with the last run
  /// of the page before; then the runs.
  mutating func write(_ page: TextPage, to writer: inout ByteWriter) {
    slot = page.first < first ? Int(first &- page.first) : 0
    deadBefore = 0
    var isFirst = true
    page.forEachRun { slots, anchor in
      let dot = Dot(page.replica, page.counter(at: slots.lowerBound))
      let goesOn = isFirst && isContinued(by: anchor, at: dot)
      if isFirst { writer.write(varint: UInt64(page.runs.count) &<< 1 | (goesOn ? 1 : 0)) }
      write(slots, of: page, to: &writer)
      if !goesOn { anchors.write(anchor, of: dot, to: &writer) }
      last = (dot.counter &+ UInt64(slots.count) &- 1, anchor)
      isFirst = false
    }
  }

  private func isContinued(by anchor: TextAnchor, at dot: Dot) -> Bool {
    guard let last, last.counter &+ 1 == dot.counter else { return false }
    return anchor == last.anchor.next(after: Dot(dot.replica, last.counter))
  }

  /// Writes which slots a run takes, and which of its elements are dead.
  private mutating func write(
    _ slots: Range<Int>, of page: TextPage, to writer: inout ByteWriter
  ) {
    let skipped = slots.lowerBound &- slot
    let gap: TextRunHead.Gap =
      switch skipped {
      case 0: .none
      case 1: .one
      case deadBefore: .deletions
      default: .other
      }
    let firstDead = min(page.dead.next(from: slots.lowerBound), slots.upperBound)
    let firstAfter = min(page.dead.nextGap(from: firstDead), slots.upperBound)
    let dead: TextRunHead.Dead =
      if firstDead == slots.upperBound {
        .none
      } else if firstAfter < slots.upperBound {
        .other
      } else {
        firstDead == slots.lowerBound ? .all : .last
      }
    let isToEnd = slots.upperBound == TextPage.slotCount
    let length = isToEnd ? TextRunHead.toEnd : min(slots.count, TextRunHead.longer)
    writer.write(UInt8(length) &<< 4 | dead.rawValue &<< 2 | gap.rawValue)
    if gap == .other { writer.write(varint: UInt64(skipped &- 2)) }
    if length == TextRunHead.longer {
      writer.write(varint: UInt64(slots.count &- TextRunHead.longer))
    }
    deadBefore = firstAfter &- firstDead
    if dead == .last { writer.write(varint: UInt64(deadBefore)) }
    if dead == .other { deadBefore = writeDead(of: slots, of: page, to: &writer) }
    slot = slots.upperBound
  }

  /// Writes which elements of a run are dead, and returns how many of them are at its end.
  private func writeDead(
    of slots: Range<Int>, of page: TextPage, to writer: inout ByteWriter
  ) -> Int {
    let place = writer.count
    var (count, before): (UInt64, Int) = (0, slots.lowerBound)
    var start = page.dead.next(from: before)
    var atEnd = 0
    while start < slots.upperBound {
      let end = min(page.dead.nextGap(from: start), slots.upperBound)
      writer.write(varint: UInt64(start &- before))
      writer.write(varint: UInt64(end &- start &- 1))
      if end == slots.upperBound { atEnd = end &- start }
      count &+= 1
      before = end
      start = page.dead.next(from: end)
    }
    writer.insert(varint: count &- 1, at: place)
    return atEnd
  }
}

/// Encodes the anchors of one column, in order.
private struct TextAnchorWriter {
  let replicas: [ReplicaID]
  /// The last parent of the same replica.
  private var lastOwn: UInt64 = 0
  /// The last parent of another replica.
  private var lastOther: UInt64 = 0
  /// The starts of texts that have been written.
  private var placesOfStarts: [Dot: UInt64] = [:]

  init(replicas: [ReplicaID]) {
    self.replicas = replicas
  }

  mutating func write(_ anchor: TextAnchor, of dot: Dot, to writer: inout ByteWriter) {
    if anchor.standInCount > 0 {
      writer.write(
        varint: UInt64(anchor.standInCount) &<< 3 | UInt64(TextAnchorHead.standIns.rawValue) &<< 1)
    }
    // An element is not its own parent, so as such it stands for the start of a text: as a
    // right child's for that of the only one, as a left child's for one that follows.
    let parent = anchor.parent.isStart ? dot : anchor.parent
    let isNamed = anchor.parent.isStart && !anchor.parent.isNone
    let (head, distance) = distance(of: parent, from: dot)
    writer.write(
      varint: distance &<< 3 | UInt64(head.rawValue) &<< 1 | (anchor.isLeft || isNamed ? 1 : 0))
    if isNamed { write(start: anchor.parent, to: &writer) }
    if head == .other {
      write(parent.replica, to: &writer)
      lastOther = parent.counter
    } else if parent != dot {
      lastOwn = parent.counter
    }
    guard !anchor.isLeft else { return }
    guard !anchor.rightOrigin.isNone else { return writer.write(varint: 0) }
    let isThird = anchor.rightOrigin.replica != parent.replica
    let step = anchor.rightOrigin.counter.zigzagDistance(from: parent.counter)
    writer.write(varint: step &<< 1 | (isThird ? 1 : 0))
    if isThird { write(anchor.rightOrigin.replica, to: &writer) }
  }

  private func distance(of parent: Dot, from dot: Dot) -> (TextAnchorHead, UInt64) {
    if parent.replica != dot.replica {
      return (.other, parent.counter.zigzagDistance(from: lastOther))
    }
    let own = parent.counter.zigzagDistance(from: dot.counter)
    let last = parent.counter.zigzagDistance(from: lastOwn)
    return TextAnchorHead.isShorter(last, than: own) ? (.last, last) : (.own, own)
  }

  private mutating func write(start: Dot, to writer: inout ByteWriter) {
    if let place = placesOfStarts[start] { return writer.write(varint: place) }
    placesOfStarts[start] = UInt64(placesOfStarts.count) + 1
    writer.write(varint: 0)
    start.replica.encode(to: &writer)
    writer.write(fixed: start.counter)
  }

  private func write(_ replica: ReplicaID, to writer: inout ByteWriter) {
    let place = replicas.place(of: replica)
    writer.write(varint: place.map { UInt64($0) + 1 } ?? 0)
    if place == nil { replica.encode(to: &writer) }
  }
}

/// The first number of an anchor, without its lowest bit: the counter from which the
/// distance of the parent is counted.
enum TextAnchorHead: UInt8 {
  /// That of the element itself.
  case own
  /// That of the last parent of the same replica, if that is fewer bytes.
  case last
  /// That of the last parent of another replica, as this one is.
  case other
  /// It isn't a distance, but the number of elements that stand for others; the anchor
  /// follows.
  case standIns

  /// Returns whether a distance from the last parent takes fewer bytes than one from the
  /// element.
  static func isShorter(_ last: UInt64, than own: UInt64) -> Bool {
    (last &<< 3).varintLength < (own &<< 3).varintLength
  }
}

extension UInt64 {
  /// The number of bytes that the number takes as a varint.
  fileprivate var varintLength: Int { Swift.max(1, (70 &- leadingZeroBitCount) / 7) }

  /// The distance from another counter, which may be greater, as a number without sign.
  func zigzagDistance(from other: UInt64) -> UInt64 {
    let distance = Int64(bitPattern: self &- other)
    return UInt64(bitPattern: (distance &<< 1) ^ (distance &>> 63))
  }
}
