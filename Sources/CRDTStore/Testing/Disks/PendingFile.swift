/// A file some of whose changes a power cut may undo.
struct PendingFile {
  struct Entry {
    let change: FileChange
    /// Whether it is on disk, and only kept because an earlier one may not be.
    var isSure = false
    /// Whether synchronizing it failed, after which it never is.
    var isLost = false
  }

  /// What is on disk of it for sure.
  private(set) var base: FileBytes
  private(set) var entries: [Entry] = []

  init(_ base: FileBytes) {
    self.base = base
  }

  var isPending: Bool { !entries.isEmpty }

  mutating func append(_ change: FileChange) {
    entries.append(Entry(change: change))
  }

  /// Synchronizing succeeded.
  mutating func synchronize() {
    for index in entries.indices where !entries[index].isLost { entries[index].isSure = true }
    let sureCount = entries.firstIndex { !$0.isSure } ?? entries.count
    if sureCount == 0 { return }
    let rest = entries.dropFirst(sureCount)
    entries.removeLast(entries.count - sureCount)
    base = content(.everything)
    entries = Array(rest)
  }

  /// Synchronizing failed.
  mutating func lose() {
    for index in entries.indices where !entries[index].isSure { entries[index].isLost = true }
  }

  /// What a power cut leaves.
  func content(_ choice: FileChoice) -> FileBytes {
    if entries.isEmpty { return base }
    var draft = FileDraft(base.bytes, sizeMax: sizeMax)
    if case .random(let seed) = choice {
      var random = DiskChance(seed: seed)
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
