import CRDTKit

/// The state that the replicas of a simulation share: one of each core type.
struct Workspace {
  let tags = Shared(ORSet<String>())
  let numbers = Shared(GSet<Int>())
  let title = Shared(MVRegister<String>())
  let owner = Shared(LWWRegister("nobody", at: Workspace.beginning))
  let visits = Shared(GCounter())
  let stock = Shared(PNCounter())
  let isOpen = Shared(EWFlag())
  let isLocked = Shared(DWFlag())
  let labels = Shared(MergeMap<String, ORSet<Int>>())
  let scores = Shared(MergeMap<String, PNCounter>())
  let notes = Shared(MergeMap<String, MVRegister<String>>())
  let folders = Shared(MergeMap<String, MergeMap<String, GSet<Int>>>())

  /// The stamp of what nobody wrote.
  private static let beginning = HybridTimestamp(
    milliseconds: 0, logical: 0, replica: ReplicaID(0))

  /// All parts, in the order of their numbers.
  var parts: [SharedPart] {
    [
      SharedPart(table: tags), SharedPart(table: numbers), SharedPart(table: title),
      SharedPart(value: owner), SharedPart(value: visits), SharedPart(value: stock),
      SharedPart(table: isOpen), SharedPart(table: isLocked), SharedPart(table: labels),
      SharedPart(table: scores), SharedPart(table: notes), SharedPart(table: folders),
    ]
  }

  static let partNames = [
    "ORSet", "GSet", "MVRegister", "LWWRegister", "GCounter", "PNCounter", "EWFlag", "DWFlag",
    "MergeMap of ORSet", "MergeMap of PNCounter", "MergeMap of MVRegister",
    "MergeMap of MergeMap",
  ]
}

extension Workspace {
  /// What the state holds, in a few lines.
  var contents: [String] {
    [
      "set \(tags.value.count) tags, grow-only set \(numbers.value.count.grouped) numbers, "
        + "register \(shownTitle)",
      "owner \(owner.value.value), counters \(visits.value.value.grouped) and "
        + "\(stock.value.value.grouped), flags \(isOpen.value.isEnabled ? "on" : "off") and "
        + "\(isLocked.value.isEnabled ? "on" : "off")",
      "maps of \(labels.value.count) sets, \(scores.value.count) counters, "
        + "\(notes.value.count) registers, \(folders.value.count) maps",
    ]
  }

  private var shownTitle: String {
    let values = title.value.values
    return values.count > 3
      ? "\(values.count) concurrent values" : "“\(values.joined(separator: " | "))”"
  }

  /// The sums of the two counters, which are known to be exact.
  var sums: [Int] { [visits.value.value, stock.value.value] }
}
