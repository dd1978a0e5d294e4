extension PendingFile {
  /// How many bytes of a file a disk writes at once, or not at all.
  private static let sectorSize = 512

  /// The choices that are tried in every case: nothing and everything first.
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

  /// After how many bytes a write is torn: between sectors first, then spread.
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

  /// Makes any changes that a disk may have made, in one of three styles.
  func applyRandomly(to draft: inout FileDraft, using random: inout DiskChance) {
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
    _ change: FileChange, of draft: inout FileDraft, using random: inout DiskChance
  ) {
    guard case .write(let offset, let bytes) = change else { return }
    let count = Int(random.next() % UInt64(bytes.count + 1))
    draft.write(bytes, 0..<count, at: offset)
    if random.next() % 2 == 0 { draft.extend(to: offset + bytes.count) }
  }

  /// Makes a write sector by sector, some of them.
  private func scatter(
    _ change: FileChange, over draft: inout FileDraft, using random: inout DiskChance
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
