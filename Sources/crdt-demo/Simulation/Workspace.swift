import CRDTKit

/// The state that the replicas of a simulation share: one of each core type.
struct Workspace {
  let tags = SharedTable(ORSet<String>())
  let numbers = SharedTable(GSet<Int>())
  let title = SharedTable(MVRegister<String>())
  let owner = Shared(LWWRegister("nobody", at: Workspace.beginning))
  let visits = Shared(GCounter())
  let stock = Shared(PNCounter())
  let isOpen = SharedTable(EWFlag())
  let isLocked = SharedTable(DWFlag())
  let labels = SharedTable(MergeMap<String, ORSet<Int>>())
  let scores = SharedTable(MergeMap<String, PNCounter>())
  let notes = SharedTable(MergeMap<String, MVRegister<String>>())
  let folders = SharedTable(MergeMap<String, MergeMap<String, GSet<Int>>>())

  /// The stamp of what nobody wrote.
  private static let beginning = HybridTimestamp(
    milliseconds: 0, logical: 0, replica: ReplicaID(0))

  /// All parts, in the order of their numbers.
  var parts: [any SharedPart] {
    [
      tags, numbers, title, owner, visits, stock, isOpen, isLocked, labels, scores, notes,
      folders,
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
        + "register “\(title.value.values.joined(separator: " | "))”",
      "owner \(owner.value.value), counters \(visits.value.value.grouped) and "
        + "\(stock.value.value.grouped), flags \(isOpen.value.isEnabled ? "on" : "off") and "
        + "\(isLocked.value.isEnabled ? "on" : "off")",
      "maps of \(labels.value.count) sets, \(scores.value.count) counters, "
        + "\(notes.value.count) registers, \(folders.value.count) maps",
    ]
  }

  /// The sums of the two counters, which are known to be exact.
  var sums: [Int] { [visits.value.value, stock.value.value] }
}
