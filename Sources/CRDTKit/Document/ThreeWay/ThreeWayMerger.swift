/// Merges three versions, and collects the conflicts.
struct ThreeWayMerger {
  let deletion: Schema.DeletionRule?
  let stamps: (ours: HybridTimestamp, theirs: HybridTimestamp)?
  /// The paths of objects that are treated as one value.
  let wholes: Set<FieldPath>
  private(set) var conflicts: [Document.ThreeWayConflict] = []

  init(
    deletion: Schema.DeletionRule?, stamps: (ours: HybridTimestamp, theirs: HybridTimestamp)?,
    wholes: Set<FieldPath> = []
  ) {
    self.deletion = deletion
    self.stamps = stamps
    self.wholes = wholes
  }

  /// Merges the values at a place, under its rules.
  mutating func merge(
    _ versions: ThreeWayVersions, _ rules: RuleTree?, at place: ThreeWayPlace? = nil,
    depth: Int = 0
  ) -> Document.Value? {
    guard case .object(let ours) = versions.ours, case .object(let theirs) = versions.theirs,
      depth < ThreeWayMerge<Document.Value>.maximumDepth,
      wholes.isEmpty || !wholes.contains(place?.path ?? [])
    else { return mergeField(versions, rules, at: place, depth: depth) }
    var base: [String: Document.Value] = [:]
    if case .object(let fields) = versions.base { base = fields }
    var merged = ours
    let added = theirs.keys.filter { ours.index(forKey: $0) == nil }
    // Sorted, so that the conflicts have the order of their paths.
    for name in (ours.keys + added).sorted(by: { $0.comes(before: $1) }) {
      let field = ThreeWayVersions(base: base[name], ours: ours[name], theirs: theirs[name])
      merged[name] = merge(
        field, rules?.beneath(name), at: ThreeWayPlace(names: [name], parent: place),
        depth: depth + 1)
    }
    return .object(merged)
  }

  /// Merges values of which at least one is no object.
  mutating func mergeField(
    _ versions: ThreeWayVersions, _ rules: RuleTree?, at place: ThreeWayPlace?, depth: Int
  ) -> Document.Value? {
    let rule = rules?.rule ?? .lastWriterWins
    if versions.base == versions.theirs { return versions.ours }
    if versions.base == versions.ours { return versions.theirs }
    if rule == .counter, let sum = versions.sum { return .int(sum) }
    if versions.ours == versions.theirs { return versions.ours }
    guard let ours = versions.ours, let theirs = versions.theirs else {
      return mergeRemoval(versions, at: place, depth: depth)
    }
    if ours.isObject == theirs.isObject {
      switch rule {
      case .set:
        if let union = versions.union { return .array(union) }
      case .list where depth < ThreeWayMerge<Document.Value>.maximumDepth:
        if let list = mergeList(versions, rules, at: place, depth: depth) { return list }
      case .text:
        if let text = versions.text { return .string(text) }
      case .max, .min:
        return winner(ours, theirs, by: rule, Self.noStamps)
      case .lastWriterWins, .firstWriterWins, .preferring, .preferringOthers:
        if let stamps { return winner(ours, theirs, by: rule, stamps) }
      case .manual, .counter, .list, .merged: break
      }
    }
    return conflict(versions, at: place)
  }

  /// Merges a removal with a change.
  private mutating func mergeRemoval(
    _ versions: ThreeWayVersions, at place: ThreeWayPlace?, depth: Int
  ) -> Document.Value? {
    let kept = versions.ours ?? versions.theirs
    let depthLeft = ThreeWayMerge<Document.Value>.maximumDepth - depth
    if let kept, let base = versions.base, kept.isPart(of: base, depthLeft: depthLeft) {
      return nil
    }
    switch deletion {
    case .updateWins: return kept
    case .deleteWins: return nil
    case .lastWriterWins:
      guard let stamps else { break }
      // Equal stamps come from one identifier used in two places: then lose nothing.
      if stamps.ours == stamps.theirs { return kept }
      return stamps.ours > stamps.theirs ? versions.ours : versions.theirs
    case nil: break
    }
    return conflict(versions, at: place)
  }

  private mutating func conflict(
    _ versions: ThreeWayVersions, at place: ThreeWayPlace?
  ) -> Document.Value? {
    conflicts.append(Document.ThreeWayConflict(at: place, of: versions))
    return versions.ours
  }

  /// Stamps with which the values decide.
  private static var noStamps: (ours: HybridTimestamp, theirs: HybridTimestamp) {
    let stamp = HybridTimestamp(time: 0, replica: ReplicaID(0))
    return (stamp, stamp)
  }

  private func winner(
    _ ours: Document.Value, _ theirs: Document.Value, by rule: Schema.FieldRule,
    _ stamps: (ours: HybridTimestamp, theirs: HybridTimestamp)
  ) -> Document.Value? {
    rule.winner(among: [
      Document.Alternative(ours, at: stamps.ours), Document.Alternative(theirs, at: stamps.theirs),
    ])?.value
  }
}

/// The three versions of one value; each is `nil` if absent.
struct ThreeWayVersions {
  var base: Document.Value?
  var ours: Document.Value?
  var theirs: Document.Value?
}

extension ThreeWayVersions {
  /// The base plus both differences.
  ///
  /// `nil` unless all three and the result are whole numbers. An absent base counts as 0.
  var sum: Int64? {
    guard case .int(let ours) = ours, case .int(let theirs) = theirs else { return nil }
    var start: Int64 = 0
    switch base {
    case nil, .null: break
    case .int(let value): start = value
    default: return nil
    }
    return Int64(exactly: Int128(ours) + Int128(theirs) - Int128(start))
  }

  /// Our text with the edits that lead from the base to theirs.
  ///
  /// `nil` unless all are strings. An absent base counts as empty.
  var text: String? {
    guard case .string(var text) = ours, case .string(let theirs) = theirs else { return nil }
    var old = ""
    switch base {
    case nil, .null: break
    case .string(let string): old = string
    default: return nil
    }
    text.apply(TextDifference.edits(from: old, to: theirs, over: text))
    return text
  }

  /// The elements of either side, without those that either removed.
  ///
  /// `nil` unless all are arrays. Each element is there once: ours in their order, then
  /// the ones they added.
  var union: [Document.Value]? {
    guard case .array(let ours) = ours, case .array(let theirs) = theirs else { return nil }
    var old: Set<Document.Value> = []
    switch base {
    case nil, .null: break
    case .array(let elements): old = Set(elements)
    default: return nil
    }
    let removed = old.subtracting(theirs)
    var seen = removed
    var union = ours.filter { seen.insert($0).inserted }
    // Of their elements, those in the base are ours to keep or remove.
    seen.formUnion(old)
    union += theirs.filter { seen.insert($0).inserted }
    return union
  }
}

extension Document.Value {
  /// Whether the value is an object.
  var isObject: Bool {
    if case .object = self { true } else { false }
  }

  /// Whether the value equals another one, or is an object with only a part of its
  /// content.
  func isPart(of whole: Document.Value, depthLeft: Int) -> Bool {
    guard depthLeft > 0, case .object(let fields) = self, case .object(let all) = whole else {
      return self == whole
    }
    return fields.allSatisfy { name, value in
      all[name].map { value.isPart(of: $0, depthLeft: depthLeft - 1) } ?? false
    }
  }
}
