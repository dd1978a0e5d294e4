extension ThreeWayMerger {
  /// Merges three arrays as a list, element by element; `nil` unless they are arrays.
  ///
  /// Our order stays; what they inserted or moved stands after the element that comes before
  /// it in their array.
  ///
  /// - Complexity: Expected O(n log n) for n elements, plus the merges of the elements.
  mutating func mergeList(
    _ versions: ThreeWayVersions, _ rules: RuleTree?, at place: ThreeWayPlace?, depth: Int
  ) -> Document.Value? {
    guard case .array(let ours) = versions.ours, case .array(let theirs) = versions.theirs,
      let base = (versions.base ?? .null).elements
    else { return nil }
    var merged = MergedList(ours, base.sources(ofListNow: ours), baseCount: base.count)
    merged.add(theirs, base.sources(ofListNow: theirs))
    var values: [Document.Value] = []
    for entry in merged.inOrder {
      let versions = ThreeWayVersions(
        base: entry.base.map { base[$0] }, ours: entry.ours.map { ours[$0] },
        theirs: entry.theirs.map { theirs[$0] })
      let id = (versions.ours ?? versions.theirs)?.elementName
      let name = id ?? "\(values.count)"
      let (rules, place) = (rules?.beneath(name), ThreeWayPlace(names: [name], parent: place))
      let value =
        id == nil && rules == nil
        ? mergeField(versions, nil, at: place, depth: depth + 1)
        : merge(versions, rules, at: place, depth: depth + 1)
      if let value { values.append(value) }
    }
    return .array(values)
  }
}

/// The elements of two changed copies of an array, in one order.
private struct MergedList {
  /// An element, by its indices in the three arrays.
  struct Entry {
    var base: Int?
    var ours: Int?
    var theirs: Int?
    var isMoved = false
    /// The entries before and after; 0 for the ends.
    fileprivate var previous = 0
    fileprivate var next = 0
  }

  typealias Source = ListDifference<Document.Value.Identity>.Source

  /// The entries, linked in a circle that begins and ends at the first, which is none.
  private var entries = [Entry()]
  /// The entry of each element of the base that we kept.
  private var known: [Int?]
  /// The entries of elements that only we have, by their identities.
  private var inserted: [Document.Value.Identity: Int] = [:]

  init(_ ours: [Document.Value], _ sources: [Source], baseCount: Int) {
    known = Array(repeating: nil, count: baseCount)
    var last = 0
    for (index, source) in sources.enumerated() {
      last = insert(
        Entry(base: source.index, ours: index, isMoved: source.isMoved), after: last)
      if let base = source.index {
        known[base] = last
      } else if case .id = ours[index].identity {
        inserted[ours[index].identity] = last
      }
    }
  }

  /// Adds the elements of their copy.
  mutating func add(_ theirs: [Document.Value], _ sources: [Source]) {
    var last = 0
    for (index, source) in sources.enumerated() {
      let found =
        source.index.map { known[$0] } ?? inserted.removeValue(forKey: theirs[index].identity)
      guard let number = found else {
        last = insert(Entry(base: source.index, theirs: index), after: last)
        continue
      }
      entries[number].theirs = index
      if source.isMoved, !entries[number].isMoved {
        unlink(number)
        link(number, after: last)
      }
      last = number
    }
  }

  /// The elements in order, also those that one side has removed.
  var inOrder: [Entry] {
    var found: [Entry] = []
    var number = entries[0].next
    while number != 0 {
      found.append(entries[number])
      number = entries[number].next
    }
    return found
  }

  private mutating func insert(_ entry: Entry, after last: Int) -> Int {
    entries.append(entry)
    link(entries.count - 1, after: last)
    return entries.count - 1
  }

  private mutating func link(_ number: Int, after last: Int) {
    let next = entries[last].next
    entries[number].previous = last
    entries[number].next = next
    entries[last].next = number
    entries[next].previous = number
  }

  private mutating func unlink(_ number: Int) {
    let (previous, next) = (entries[number].previous, entries[number].next)
    entries[previous].next = next
    entries[next].previous = previous
  }
}

extension Document.Value {
  /// The elements of an array, none of null, or `nil`.
  fileprivate var elements: [Document.Value]? {
    switch self {
    case .array(let elements): elements
    case .null: []
    default: nil
    }
  }
}
