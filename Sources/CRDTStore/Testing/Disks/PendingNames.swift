/// The changes of names that a power cut may undo, of all folders, in order.
struct PendingNames {
  struct Entry {
    let change: NameChange
    /// Whether the new name is on disk.
    var isTargetSure: Bool
    /// Whether the removal of the old name is durable, if the new name is.
    var isSourceSure: Bool
    var isTargetLost = false
    var isSourceLost = false
    /// Whether a later change is durable, before which a journal writes this one.
    var isBeforeSure = false

    var isSure: Bool { isTargetSure && isSourceSure }
  }

  private(set) var entries: [Entry] = []

  mutating func append(_ change: NameChange) {
    entries.append(
      Entry(
        change: change, isTargetSure: change.target == nil, isSourceSure: change.source == nil))
  }

  /// Records that a folder was synchronized.
  ///
  /// Returns the changes that are durable now, whatever happens to the others.
  mutating func synchronize(_ folder: Int) -> [NameChange] {
    for index in entries.indices {
      let change = entries[index].change
      if change.target?.folder == folder, !entries[index].isTargetLost {
        entries[index].isTargetSure = true
      }
      if change.source?.folder == folder, !entries[index].isSourceLost {
        entries[index].isSourceSure = true
      }
    }
    return removeSure()
  }

  private mutating func removeSure() -> [NameChange] {
    var sure: [NameChange] = []
    var kept: [Entry] = []
    var keptPlaces: Set<NameChange.Place> = []
    for entry in entries {
      let places = [entry.change.source, entry.change.target].compactMap(\.self)
      if entry.isSure, keptPlaces.isDisjoint(with: places) {
        sure.append(entry.change)
        for index in kept.indices { kept[index].isBeforeSure = true }
      } else {
        kept.append(entry)
        keptPlaces.formUnion(places)
      }
    }
    entries = kept
    return sure
  }

  /// Records that synchronizing a folder failed.
  mutating func lose(_ folder: Int) {
    for index in entries.indices {
      let change = entries[index].change
      if change.target?.folder == folder, !entries[index].isTargetSure {
        entries[index].isTargetLost = true
      }
      if change.source?.folder == folder, !entries[index].isSourceSure {
        entries[index].isSourceLost = true
      }
    }
  }

  /// The choices that are always tried: nothing and everything first.
  func systematicChoices(_ choices: CrashChoices) -> [NameChoice] {
    var all: [NameChoice] = [.nothing, .everything]
    for index in entries.indices.suffix(choices.changeMax) {
      if index > 0 { all.append(.first(index)) }
      guard choices.nameOrder == .unordered else { continue }
      if index < entries.count - 1 { all.append(.without(index)) }
      if entries[index].change.source != nil, entries[index].change.target != nil {
        all.append(.linked(index))
      }
    }
    return all
  }

  /// Applies the names that a power cut leaves.
  func apply(_ choice: NameChoice, _ order: CrashChoices.NameOrder, to nodes: inout [Node]) {
    if order == .journaled { return applyInOrder(choice, to: &nodes) }
    var random = SeededGenerator(seed: 0)
    if case .random(let seed) = choice { random = SeededGenerator(seed: seed) }
    for (index, entry) in entries.enumerated() {
      var isMade = true
      var isOldKept = false
      switch choice {
      case .nothing: (isMade, isOldKept) = (false, true)
      case .everything: break
      case .first(let count): (isMade, isOldKept) = (index < count, index >= count)
      case .without(let left): (isMade, isOldKept) = (index != left, index == left)
      case .linked(let linked): isOldKept = index == linked
      case .random: (isMade, isOldKept) = (random.next() % 2 == 0, random.next() % 4 == 0)
      }
      // A removal has no new name: it only removes the old one.
      if entry.change.target == nil {
        if isMade || entry.isSourceSure { entry.change.removeSource(from: &nodes) }
      } else if isMade || entry.isTargetSure {
        entry.change.addTarget(to: &nodes)
        if !isOldKept || entry.isSourceSure { entry.change.removeSource(from: &nodes) }
      }
    }
  }

  private func applyInOrder(_ choice: NameChoice, to nodes: inout [Node]) {
    // What a synchronized folder has, and all that came before it, is in the journal.
    let sure = entries.lastIndex { entry in
      entry.isBeforeSure || (entry.isTargetSure && entry.change.target != nil)
        || (entry.isSourceSure && entry.change.source != nil)
    }
    let least = sure.map { $0 + 1 } ?? 0
    let count =
      switch choice {
      case .nothing: 0
      case .everything, .without, .linked: entries.count
      case .first(let count): count
      case .random(let seed):
        Int(seed % UInt64(entries.count + 1))
      }
    for entry in entries.prefix(max(count, least)) {
      entry.change.addTarget(to: &nodes)
      entry.change.removeSource(from: &nodes)
    }
  }

  typealias Node = DiskImage.Node
}

/// A name that was assigned, removed, or both.
struct NameChange: Sendable {
  struct Place: Hashable, Sendable {
    let folder: Int
    let name: String
  }

  let node: Int
  /// The old name; `nil` if it had none.
  let source: Place?
  /// The new name; `nil` if it was removed.
  let target: Place?
}

extension NameChange {
  /// Gives the node its new name.
  func addTarget(to nodes: inout [DiskImage.Node]) {
    guard let target, case .folder(var names) = nodes[target.folder] else { return }
    names[target.name] = node
    nodes[target.folder] = .folder(names)
  }

  /// Takes the old name from the node, unless something else has it.
  func removeSource(from nodes: inout [DiskImage.Node]) {
    guard let source, case .folder(var names) = nodes[source.folder], names[source.name] == node
    else { return }
    names[source.name] = nil
    nodes[source.folder] = .folder(names)
  }
}
