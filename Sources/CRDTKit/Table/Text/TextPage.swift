import Synchronization

/// The elements of texts among 1,024 consecutive events of one replica.
///
/// Deleting an element leaves its anchor, because others may be anchored to it. Such an
/// element is *dead*. Its text isn't encoded, and a page that was decoded doesn't have it.
///
/// Tables share a page by reference. Only a table that holds the sole reference changes it,
/// which makes the class safe to send; a lock guards the digest, which readers make. The
/// methods that change a property call nothing outside while they do, so the checks of
/// overlapping changes are left out.
@usableFromInline
package final class TextPage: @unchecked Sendable {
  let replica: ReplicaID
  /// The counter of slot 0.
  let first: UInt64
  /// The slots that hold an element.
  @exclusivity(unchecked) private(set) var present = LiveBits()
  private var count = 0
  /// The slots whose elements are dead.
  @exclusivity(unchecked) private(set) var dead = LiveBits()
  private var deadCount = 0
  /// The slots whose text is stored: all elements that aren't dead, and those that died
  /// here.
  @exclusivity(unchecked) private(set) var texted = LiveBits()
  private(set) var textedCount = 0
  @exclusivity(unchecked) private(set) var runs: ContiguousArray<TextRun> = []
  @exclusivity(unchecked) private(set) var text: ContiguousArray<UInt8> = []
  /// Whether a run begins with elements that stand for dead ones.
  @exclusivity(unchecked) private(set) var hasStandIns = false
  /// Differs between any two pages of the process.
  let identifier: UInt64
  /// The digest of the page's contents and the mark at that time, made on first use.
  let digest = Mutex<(mark: TextPage.Mark, digest: SHA256.Digest)?>(nil)

  private static let lastIdentifier = Atomic<UInt64>(0)

  init(of replica: ReplicaID, first: UInt64) {
    self.replica = replica
    self.first = first
    identifier = Self.lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Creates a page that is decoded, whose text follows.
  init(
    of replica: ReplicaID, first: UInt64, runs: ContiguousArray<TextRun>, present: LiveBits,
    dead: LiveBits
  ) {
    self.replica = replica
    self.first = first
    self.runs = runs
    self.present = present
    count = present.count
    self.dead = dead
    deadCount = dead.count
    hasStandIns = runs.contains { $0.standInCount > 0 }
    identifier = Self.lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Creates a copy that may be changed.
  init(_ other: TextPage) {
    replica = other.replica
    first = other.first
    present = other.present
    count = other.count
    dead = other.dead
    deadCount = other.deadCount
    texted = other.texted
    textedCount = other.textedCount
    runs = other.runs
    text = other.text
    hasStandIns = other.hasStandIns
    identifier = Self.lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

extension TextPage {
  /// Shows whether a page has changed: elements are only added, and only die.
  struct Mark: Hashable, Sendable {
    let identifier: UInt64
    let first: UInt64
    let count: Int
    let deadCount: Int
  }

  var mark: Mark {
    Mark(
      identifier: identifier, first: first, count: count, deadCount: deadCount)
  }

  static var slotCount: Int { LiveBits.slotCount }

  /// Returns the first counter of the page that an event belongs to.
  static func start(of counter: UInt64) -> UInt64 {
    (counter &- 1) & ~UInt64(slotCount &- 1) &+ 1
  }

  func counter(at slot: Int) -> UInt64 { first &+ UInt64(slot) }

  /// The number of elements that aren't dead.
  var livingCount: Int { count &- deadCount }

  /// The counter of the last slot.
  var lastCounter: UInt64 { counter(at: Self.slotCount &- 1) }

  /// Returns the slots of the events up to a counter.
  func slots(upTo counter: UInt64) -> LiveBits {
    counter < first ? LiveBits() : LiveBits(first: Int(min(counter &- first, 1_023)) &+ 1)
  }

  /// Returns the slots of the events outside of `base + 1 ... seen`.
  func slotsUndecided(after base: UInt64, upTo seen: UInt64) -> LiveBits {
    ~slots(upTo: seen) | slots(upTo: base)
  }

  /// Whether each stored scalar takes one byte.
  var isASCII: Bool { text.count == textedCount }

  /// Returns the index of the last run that begins at a slot or before.
  func run(of slot: Int) -> Int {
    if let last = runs.last, Int(last.slot) <= slot { return runs.count &- 1 }
    return runs.indices.partitioningIndex { Int(runs[$0].slot) > slot } &- 1
  }

  /// Returns whether a run that is stored begins at a slot.
  func isRunStart(_ slot: Int) -> Bool {
    let run = run(of: slot)
    return run >= 0 && Int(runs[run].slot) == slot
  }

  /// Returns the anchor of the element in a slot.
  func anchor(of slot: Int) -> TextAnchor {
    let place = run(of: slot)
    let run = runs[place]
    guard Int(run.slot) < slot else { return run.anchor }
    return run.anchor.next(after: Dot(replica, counter(at: slot) &- 1))
  }

  /// Returns the offset of a slot's text.
  func offset(of slot: Int) -> Int {
    guard slot < Self.slotCount else { return text.count }
    let place = run(of: slot)
    return place < 0 ? 0 : offset(of: slot, after: place)
  }

  /// Returns the offset of the text of a slot after the beginning of a run.
  private func offset(of slot: Int, after run: Int) -> Int {
    let start = Int(runs[run].slot)
    var offset = Int(runs[run].offset)
    if isASCII { return offset &+ texted.count(in: start..<slot) }
    var before = texted.next(from: start)
    while before < slot {
      offset &+= text[offset].scalarLength
      before = texted.next(from: before &+ 1)
    }
    return offset
  }

  /// Passes the text of some consecutive slots of a run, all of which have text, to the body.
  @inline(__always)
  func withText<Result>(
    of slots: Range<Int>, inRun run: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let start = offset(of: slots.lowerBound, after: run)
    let end = isASCII ? start &+ slots.count : offset(of: slots.upperBound, after: run)
    let text = text
    return text.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
  }

  /// Passes the stored text of some consecutive slots to the body.
  func withText<Result>(
    of slots: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let start = offset(of: slots.lowerBound)
    let end = isASCII ? start &+ texted.count(in: slots) : offset(of: slots.upperBound)
    let text = text
    return text.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
  }

  /// Returns whether the text of all elements in some slots is stored.
  func hasText(of slots: Range<Int>) -> Bool {
    texted.nextGap(from: slots.lowerBound) >= slots.upperBound
  }

  /// Calls the body with the elements of each run, in order, and the anchor of the first.
  func forEachRun(_ body: (_ slots: Range<Int>, _ anchor: TextAnchor) -> Void) {
    let (runs, present) = (runs, present)
    var gap = 0
    for place in runs.indices {
      let start = Int(runs[place].slot)
      let next = place &+ 1 < runs.count ? Int(runs[place &+ 1].slot) : Self.slotCount
      if gap <= start { gap = present.nextGap(from: start) }
      body(start..<min(next, gap), runs[place].anchor)
    }
  }

  /// Calls the body with the pieces of the elements in some slots, in order: consecutive
  /// elements of one run, all of which have stored text, or none.
  func forEachPiece(of slots: LiveBits, _ body: (_ slots: Range<Int>) -> Void) {
    var slot = slots.next(from: 0)
    guard slot < Self.slotCount else { return }
    var place = run(of: slot)
    while slot < Self.slotCount {
      while place &+ 1 < runs.count, Int(runs[place &+ 1].slot) <= slot { place &+= 1 }
      var end = slots.nextGap(from: slot)
      if place &+ 1 < runs.count { end = min(end, Int(runs[place &+ 1].slot)) }
      let isTexted = texted[slot]
      end = min(end, isTexted ? texted.nextGap(from: slot) : texted.next(from: slot))
      body(slot..<end)
      slot = slots.next(from: end)
    }
  }
}

extension TextPage {
  /// Adds consecutive elements after all others: the first with the anchor, the others
  /// each as the right child of the one before.
  ///
  /// Without text, they are dead.
  func append(
    _ count: Int, at slot: Int, _ anchor: TextAnchor, text added: UnsafeBufferPointer<UInt8>?
  ) {
    assert(count > 0 && slot > present.last && slot &+ count <= Self.slotCount)
    if !isContinued(by: anchor, at: slot) {
      runs.append(TextRun(anchor, slot: slot, offset: text.count))
      if anchor.standInCount > 0 { hasStandIns = true }
    }
    self.count &+= count
    if let added, count == 1 {
      // As when a user types.
      present[slot] = true
      texted[slot] = true
      textedCount &+= 1
      for byte in added { text.append(byte) }
      return
    }
    let slots = LiveBits(slot..<slot &+ count)
    present = present | slots
    if let added {
      texted = texted | slots
      textedCount &+= count
      text.append(contentsOf: added)
    } else {
      dead = dead | slots
      deadCount &+= count
    }
  }

  /// Returns whether the anchor is that of the next element of the last run.
  private func isContinued(by anchor: TextAnchor, at slot: Int) -> Bool {
    slot > 0 && present[slot &- 1] && anchor == anchorOfNext(at: slot)
  }

  /// The anchor of an element after all others that goes on with the last run.
  func anchorOfNext(at slot: Int) -> TextAnchor? {
    runs.last?.anchor.next(after: Dot(replica, counter(at: slot) &- 1))
  }

  /// Stores the text of all elements that aren't dead, at the end of decoding.
  func setText(_ bytes: UnsafeBufferPointer<UInt8>) {
    texted = present & ~dead
    textedCount = livingCount
    text = ContiguousArray(bytes)
    var (slot, offset) = (0, 0)
    guard !isASCII else {
      for place in runs.indices {
        let start = Int(runs[place].slot)
        offset &+= texted.count(in: slot..<start)
        runs[place].offset = UInt16(offset)
        slot = start
      }
      return
    }
    slot = texted.next(from: 0)
    for place in runs.indices {
      while slot < Int(runs[place].slot) {
        offset &+= text[offset].scalarLength
        slot = texted.next(from: slot &+ 1)
      }
      runs[place].offset = UInt16(offset)
    }
  }

  /// Marks the elements in some slots as dead.
  func kill(_ slots: LiveBits) {
    dead = dead | slots & present
    deadCount = dead.count
  }

  /// Marks an element as dead that isn't.
  func kill(at slot: Int) {
    dead[slot] = true
    deadCount &+= 1
  }

  /// Adds the elements in some slots of another page, all of which come after those here.
  func append(_ slots: LiveBits, of other: TextPage) {
    other.forEachPiece(of: slots) { append(other, $0, other.anchor(of: $0.lowerBound)) }
    let died = other.dead & slots
    if !died.isEmpty { kill(died) }
  }

  /// Adds a piece of another page, with another anchor.
  func append(_ other: TextPage, _ piece: Range<Int>, _ anchor: TextAnchor) {
    if other.texted[piece.lowerBound] {
      other.withText(of: piece) { append(piece.count, at: piece.lowerBound, anchor, text: $0) }
    } else {
      append(piece.count, at: piece.lowerBound, anchor, text: nil)
    }
  }

  /// Returns the page if all its elements are in some slots, else a copy with those that
  /// are; `nil` if none is.
  func kept(_ slots: LiveBits) -> TextPage? {
    let kept = present & slots
    if kept.isEmpty { return nil }
    return kept == present ? self : copy(keeping: kept)
  }

  /// Returns a page with only the elements in some slots.
  func copy(keeping slots: LiveBits) -> TextPage {
    let copy = TextPage(of: replica, first: first)
    copy.append(slots & present, of: self)
    return copy
  }

  /// Returns a copy under another replica's name, with other anchors.
  func renamed(
    _ name: ReplicaID, _ rename: (TextAnchor) -> TextAnchor
  ) -> TextPage {
    let copy = TextPage(of: name, first: first)
    forEachPiece(of: present) {
      copy.append(self, $0, rename(anchor(of: $0.lowerBound)))
    }
    copy.kill(dead)
    return copy
  }
}

extension UInt8 {
  /// The length of the UTF-8 sequence that begins with the byte, in valid UTF-8.
  @inline(__always)
  var scalarLength: Int { self < 0x80 ? 1 : self < 0xE0 ? 2 : self < 0xF0 ? 3 : 4 }
}
