/// The slots of pages that hold elements of texts, and those whose elements are dead, as a
/// delta lists them that lists what is still there.
@frozen
@usableFromInline
package struct TextBlocks: Hashable, Sendable {
  @usableFromInline
  struct Block: Hashable, Sendable {
    let first: UInt64
    let present: LiveBits
    let dead: LiveBits
  }

  @usableFromInline var blocks: ContiguousArray<Block> = []

  @usableFromInline
  init() {}

  @inlinable
  var isEmpty: Bool { count == 0 }

  @usableFromInline
  var count: Int { blocks.count }
}

extension TextBlocks {
  /// Returns the elements of both.
  @usableFromInline
  func joined(_ other: TextBlocks) -> TextBlocks {
    var joined = TextBlocks()
    var (mine, theirs) = (blocks[...], other.blocks[...])
    while let left = mine.first, let right = theirs.first {
      if left.first == right.first {
        joined.blocks.append(
          Block(
            first: left.first, present: left.present | right.present,
            dead: left.dead | right.dead))
        mine.removeFirst()
        theirs.removeFirst()
      } else {
        joined.blocks.append(left.first < right.first ? mine.removeFirst() : theirs.removeFirst())
      }
    }
    joined.blocks.append(contentsOf: mine)
    joined.blocks.append(contentsOf: theirs)
    return joined
  }
}

extension TextColumn {
  /// Returns which events up to a counter have elements.
  @usableFromInline
  func blocks(upTo end: UInt64 = .max) -> TextBlocks {
    var blocks = TextBlocks()
    for page in pages where page.first <= end {
      let slots = page.slots(upTo: end)
      let present = page.present & slots
      guard !present.isEmpty else { continue }
      blocks.blocks.append(
        TextBlocks.Block(first: page.first, present: present, dead: page.dead & slots))
    }
    return blocks
  }

  /// Removes the elements of events up to a counter that aren't listed, and marks those as
  /// dead that are listed so.
  @usableFromInline
  mutating func keepOnly(_ listed: TextBlocks, upTo seen: UInt64) {
    var next = 0
    var kept: ContiguousArray<TextPage> = []
    for page in pages {
      while next < listed.count, listed.blocks[next].first < page.first { next += 1 }
      let block =
        next < listed.count && listed.blocks[next].first == page.first
        ? listed.blocks[next] : nil
      let known = page.slots(upTo: seen)
      let keep = page.present & (~known | (block?.present ?? LiveBits()))
      let died = keep & known & (block?.dead ?? LiveBits()) & ~page.dead
      if keep.isEmpty { continue }
      if keep == page.present, died.isEmpty {
        kept.append(page)
      } else {
        let copy = page.copy(keeping: keep)
        copy.kill(died)
        kept.append(copy)
      }
    }
    pages = SharedList(kept)
  }
}

extension TextBlocks {
  /// Encodes the number of blocks, then each: the blocks left out before it, the runs of
  /// slots with elements, and the runs of dead ones among those.
  ///
  /// Each block takes three bytes or more, however many elements it has; so the size of
  /// the bytes bounds the memory of the blocks.
  @usableFromInline
  func encode(to writer: inout ByteWriter, after base: UInt64) {
    writer.write(varint: UInt64(blocks.count))
    var next = TextPage.start(of: base &+ 1)
    for block in blocks {
      writer.write(pageStart: block.first, after: &next)
      block.present.encodeRuns(to: &writer, among: ~LiveBits())
      block.dead.encodeRuns(to: &writer, among: block.present)
    }
  }

  /// Decodes blocks of events after a base, up to `seen`.
  @usableFromInline
  init(
    from reader: inout ByteReader, after base: UInt64, upTo seen: UInt64
  ) throws(DecodingFailure) {
    let count = try reader.readCount(of: "pages of text")
    try reader.makeRoom(for: count, in: &blocks)
    var next = TextPage.start(of: base &+ 1)
    for _ in 0..<count {
      let start = reader.offset
      let first = try reader.readPageStart(after: &next, upTo: seen)
      let present = try LiveBits(runsFrom: &reader, among: ~LiveBits())
      let least = first > base ? 0 : Int(base &+ 1 &- first)
      guard !present.isEmpty, present.next(from: 0) >= least,
        first &+ UInt64(present.last) <= seen
      else { throw DecodingFailure(.outOfBounds("an element of a text"), at: start) }
      let dead = try LiveBits(runsFrom: &reader, among: present)
      blocks.append(Block(first: first, present: present, dead: dead))
    }
  }
}

extension ByteWriter {
  /// Writes how many pages are left out before one that begins at a counter, and moves on from the
  /// page that could have come next to the one after it.
  mutating func write(pageStart first: UInt64, after next: inout UInt64) {
    write(varint: (first &- next) / UInt64(TextPage.slotCount))
    next = first &+ UInt64(TextPage.slotCount)
  }
}

extension ByteReader {
  /// Reads where a page begins, which must not be after `seen`.
  mutating func readPageStart(
    after next: inout UInt64, upTo seen: UInt64
  ) throws(DecodingFailure) -> UInt64 {
    let start = offset
    let skipped = try readVarint()
    guard next <= seen, skipped <= (seen &- next) / UInt64(TextPage.slotCount) else {
      throw DecodingFailure(.outOfBounds("a page of text"), at: start)
    }
    let first = next &+ skipped &* UInt64(TextPage.slotCount)
    next = first &+ UInt64(TextPage.slotCount)
    return first
  }
}

extension LiveBits {
  /// Encodes which of some slots are in this bitmap: 0 for none, 1 for all, else the number
  /// of runs and one more, then each run: the slots before it, and its length less one,
  /// both counted among the given slots.
  fileprivate func encodeRuns(to writer: inout ByteWriter, among slots: LiveBits) {
    if isEmpty { return writer.write(varint: 0) }
    if self == slots { return writer.write(varint: 1) }
    let place = writer.count
    var (count, before): (UInt64, Int) = (0, 0)
    forEachRun(among: slots) { run in
      writer.write(varint: UInt64(run.lowerBound - before))
      writer.write(varint: UInt64(run.count - 1))
      before = run.upperBound + 1
      count += 1
    }
    writer.insert(varint: count + 1, at: place)
  }

  /// Calls the body with each run of some slots that are in this bitmap, which has no
  /// others, in their numbers among those slots.
  @inline(__always)
  private func forEachRun(among slots: LiveBits, _ body: (Range<Int>) -> Void) {
    var (slot, rank, start) = (slots.next(from: 0), 0, 0)
    // Where the stretch of given slots ends, and that of slots that are in this bitmap or not.
    var (end, border, isIn) = (0, 0, false)
    while slot < LiveBits.slotCount {
      if end <= slot { end = slots.nextGap(from: slot) }
      if border <= slot {
        isIn = self[slot]
        border = isIn ? nextGap(from: slot) : next(from: slot)
      }
      let length = min(end, border) - slot
      if !isIn {
        if start < rank { body(start..<rank) }
        start = rank + length
      }
      rank += length
      slot += length
      if slot == end { slot = slots.next(from: slot) }
    }
    if start < rank { body(start..<rank) }
  }

  fileprivate init(
    runsFrom reader: inout ByteReader, among slots: LiveBits
  ) throws(DecodingFailure) {
    self.init()
    let start = reader.offset
    let word = try reader.readVarint()
    if word == 0 { return }
    if word == 1 {
      self = slots
      return
    }
    let count = slots.count
    guard word - 1 <= UInt64(count) else {
      throw DecodingFailure(.outOfBounds("the number of runs of a text"), at: start)
    }
    var next = 0
    var stretch = SlotCursor(slots)
    for run in 0..<word - 1 {
      let skipped = try reader.readVarint()
      let more = try reader.readVarint()
      let between = run == 0 ? 0 : 1
      guard skipped <= UInt64(count), more <= UInt64(count),
        next + between + Int(skipped) + Int(more) < count
      else { throw DecodingFailure(.outOfBounds("a run of a text"), at: start) }
      stretch.advance(by: between + Int(skipped)) { _ in }
      stretch.advance(by: Int(more) + 1) { insert($0) }
      next += between + Int(skipped) + Int(more) + 1
    }
    guard self != slots else {
      throw DecodingFailure(.notCanonical("the runs of a text"), at: start)
    }
  }
}

/// A place among the slots of a bitmap.
private struct SlotCursor {
  let slots: LiveBits
  private var slot: Int
  /// Where the stretch of slots ends that the place is in.
  private var stretchEnd: Int

  init(_ slots: LiveBits) {
    self.slots = slots
    slot = slots.next(from: 0)
    stretchEnd = slots.nextGap(from: slot)
  }

  /// Passes the given number of slots, in stretches.
  mutating func advance(by count: Int, _ body: (Range<Int>) -> Void) {
    var left = count
    while left > 0, slot < LiveBits.slotCount {
      let end = min(stretchEnd, slot + left)
      body(slot..<end)
      left -= end - slot
      slot = end
      if slot == stretchEnd {
        slot = slots.next(from: slot)
        stretchEnd = slots.nextGap(from: slot)
      }
    }
  }
}
