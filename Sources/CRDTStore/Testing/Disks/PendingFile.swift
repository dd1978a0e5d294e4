/// A file some of whose changes a power cut may undo.
struct PendingFile {
  struct Entry {
    let change: FileChange
    /// Whether it is durable, and only kept because an earlier one may not be.
    var isSure = false
    /// Whether synchronizing it failed; it never becomes durable then.
    var isLost = false
  }

  /// The durable contents.
  private(set) var base: FileBytes
  private(set) var entries: [Entry] = []

  init(_ base: FileBytes) {
    self.base = base
  }

  var isPending: Bool { !entries.isEmpty }

  mutating func append(_ change: FileChange) {
    entries.append(Entry(change: change))
  }

  /// Records that synchronizing succeeded.
  mutating func synchronize() {
    for index in entries.indices where !entries[index].isLost { entries[index].isSure = true }
    let sureCount = entries.firstIndex { !$0.isSure } ?? entries.count
    if sureCount == 0 { return }
    let rest = entries.dropFirst(sureCount)
    entries.removeLast(entries.count - sureCount)
    base = content(.everything)
    entries = Array(rest)
  }

  /// Records that synchronizing failed.
  mutating func lose() {
    for index in entries.indices where !entries[index].isSure { entries[index].isLost = true }
  }

  /// The contents that a power cut leaves.
  func content(_ choice: FileChoice) -> FileBytes {
    if entries.isEmpty { return base }
    var draft = FileDraft(base.bytes, sizeMax: sizeMax)
    if case .random(let seed) = choice {
      var random = SeededGenerator(seed: seed)
      applyRandomly(to: &draft, using: &random)
    } else {
      for (index, entry) in entries.enumerated() {
        entry.isSure ? draft.apply(entry.change) : apply(index, choice, to: &draft)
      }
    }
    let bytes = draft.finish()
    return bytes.holds(base.bytes) ? base : FileBytes(bytes)
  }

  private var sizeMax: Int {
    entries.reduce(base.bytes.count) { size, entry in
      switch entry.change {
      case .write(let offset, let bytes): max(size, offset + bytes.count)
      case .truncate(let truncated): max(size, truncated)
      }
    }
  }

  private func apply(_ index: Int, _ choice: FileChoice, to draft: inout FileDraft) {
    let change = entries[index].change
    let isLast = index == entries.count - 1
    switch choice {
    case .nothing: break
    case .everything: draft.apply(change)
    case .first(let count): if index < count { draft.apply(change) }
    case .without(let left): if index != left { draft.apply(change) }
    case .torn(let count, let isExtended):
      guard isLast, case .write(let offset, let bytes) = change else { return draft.apply(change) }
      draft.write(bytes, 0..<min(count, bytes.count), at: offset)
      if isExtended { draft.extend(to: offset + bytes.count) }
    case .tail(let start):
      guard isLast, case .write(let offset, let bytes) = change else { return draft.apply(change) }
      draft.write(bytes, min(start, bytes.count)..<bytes.count, at: offset)
    case .sizes:
      switch change {
      case .write(let offset, let bytes): draft.extend(to: offset + bytes.count)
      case .truncate: draft.apply(change)
      }
    case .random: break
    }
  }
}

extension PendingFile {
  /// The number of bytes that a disk writes atomically.
  private static let sectorSize = 512

  /// The choices that are always tried: nothing and everything first.
  func systematicChoices(_ choices: CrashChoices) -> [FileChoice] {
    var all: [FileChoice] = [.nothing, .everything]
    let loose = entries.indices.filter { !entries[$0].isSure }
    for index in loose.suffix(choices.changeMax) where loose.count > 1 {
      if index > 0 { all.append(.first(index)) }
      if index < entries.count - 1 { all.append(.without(index)) }
    }
    guard let last = entries.last, !last.isSure else { return all }
    all.append(.sizes)
    if case .write(let offset, let bytes) = last.change {
      let isGrowing = offset + bytes.count > base.bytes.count
      for count in tears(offset, bytes.count, choices.tearMax) {
        all.append(.torn(count, isExtended: false))
        if isGrowing { all.append(.torn(count, isExtended: true)) }
        if (offset + count) % Self.sectorSize == 0 { all.append(.tail(count)) }
      }
      if isGrowing { all.append(.torn(0, isExtended: true)) }
    }
    return all
  }

  /// The positions at which a write is torn: between sectors first, then spread out.
  private func tears(_ offset: Int, _ count: Int, _ countMax: Int) -> [Int] {
    guard count > 1 else { return [] }
    if count - 1 <= countMax { return Array(1..<count) }
    let first = Self.sectorSize - offset % Self.sectorSize
    let sectors = stride(from: first, to: count, by: Self.sectorSize)
    var tears = Set(sectors.prefix(countMax / 2))
    for number in 0..<countMax - tears.count {
      tears.insert(1 + (count - 2) * number / max(1, countMax - 1))
    }
    tears.insert(count - 1)
    return tears.sorted()
  }

  /// Applies random changes that a disk may have made, in one of three styles.
  func applyRandomly(to draft: inout FileDraft, using random: inout SeededGenerator) {
    let style = random.next() % 3
    let kept = Int(random.next() % UInt64(entries.count + 1))
    for (index, entry) in entries.enumerated() {
      if entry.isSure {
        draft.apply(entry.change)
      } else if style == 0 {
        // In order, up to some byte.
        if index < kept { draft.apply(entry.change) }
        if index == kept { tear(entry.change, of: &draft, using: &random) }
      } else if style == 1 {
        if random.next() % 2 == 0 { draft.apply(entry.change) }
      } else {
        scatter(entry.change, over: &draft, using: &random)
      }
    }
  }

  private func tear(
    _ change: FileChange, of draft: inout FileDraft, using random: inout SeededGenerator
  ) {
    guard case .write(let offset, let bytes) = change else { return }
    let count = Int(random.next() % UInt64(bytes.count + 1))
    draft.write(bytes, 0..<count, at: offset)
    if random.next() % 2 == 0 { draft.extend(to: offset + bytes.count) }
  }

  /// Writes some sectors of a write.
  private func scatter(
    _ change: FileChange, over draft: inout FileDraft, using random: inout SeededGenerator
  ) {
    guard case .write(let offset, let bytes) = change else {
      if random.next() % 2 == 0 { draft.apply(change) }
      return
    }
    var start = 0
    while start < bytes.count {
      let sectorEnd = start + Self.sectorSize - (offset + start) % Self.sectorSize
      let end = min(bytes.count, sectorEnd)
      if random.next() % 2 == 0 { draft.write(bytes, start..<end, at: offset) }
      start = end
    }
    if random.next() % 2 == 0 { draft.extend(to: offset + bytes.count) }
  }
}
