/// How one array of values becomes another one.
@usableFromInline
struct ListDifference<Content: Hashable> {
  /// Where an element of the new array comes from, by the index in the old one.
  @usableFromInline
  enum Source: Hashable {
    case kept(Int)
    case moved(Int)
    /// The element gives way to another value.
    case written(Int)
    case inserted
  }

  /// The source of each element of the new array.
  @usableFromInline
  var sources: [Source] = []
  /// The indices of the elements of the old array that are not in the new one.
  @usableFromInline
  var removed: [Int] = []

  /// Compares two arrays; `nil` in the old one equals nothing.
  ///
  /// - Complexity: O(n log n), expected.
  @inlinable
  init(from old: [Content?], to new: [Content]) {
    var matches = Self.matches(from: old, to: new)
    let kept = Set(matches.compactMap { $0 }.longestAscending())
    let isMatched = Set(matches.compactMap { $0 })
    // Pairs what is left between two elements that stay.
    var next = 0
    var isWritten: Set<Int> = []
    for place in new.indices {
      if let match = matches[place] {
        if kept.contains(match) { next = match + 1 }
        continue
      }
      while next < old.count, isMatched.contains(next), !kept.contains(next) { next += 1 }
      guard next < old.count, !isMatched.contains(next) else { continue }
      isWritten.insert(next)
      matches[place] = next
      next += 1
    }
    for match in matches {
      guard let match else {
        sources.append(.inserted)
        continue
      }
      let stays = kept.contains(match)
      let other: Source = stays ? .kept(match) : .moved(match)
      sources.append(isWritten.contains(match) ? .written(match) : other)
    }
    removed = old.indices.filter { !isMatched.contains($0) && !isWritten.contains($0) }
  }

  /// Returns the index in the old array of an equal element, for each of the new one's; equal
  /// ones in their order, but those at both ends that are equal in both arrays by themselves.
  @inlinable
  static func matches(from old: [Content?], to new: [Content]) -> [Int?] {
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    var matches = [Int?](repeating: nil, count: new.count)
    for place in 0..<start { matches[place] = place }
    for place in 0..<end { matches[new.count - 1 - place] = old.count - 1 - place }
    var waiting: [Content: [Int]] = [:]
    for place in (start..<old.count - end).reversed() {
      if let content = old[place] { waiting[content, default: []].append(place) }
    }
    for place in start..<new.count - end {
      matches[place] = waiting[new[place]]?.popLast()
    }
    return matches
  }
}

extension ListDifference {
  /// The insertions and removals that turn one array of different values into another; what
  /// was moved is both, and the two name each other.
  ///
  /// - Complexity: O(n log n), expected.
  @inlinable
  static func changes(from old: [Content], to new: [Content]) -> CollectionDifference<Content> {
    let difference = ListDifference(from: old, to: new)
    var newPlaces: [Int: Int] = [:]
    for (place, source) in difference.sources.enumerated() {
      if case .moved(let index) = source { newPlaces[index] = place }
    }
    var changes: [CollectionDifference<Content>.Change] = []
    for (index, place) in newPlaces {
      changes.append(.remove(offset: index, element: old[index], associatedWith: place))
    }
    for place in difference.removed {
      changes.append(.remove(offset: place, element: old[place], associatedWith: nil))
    }
    for (place, source) in difference.sources.enumerated() {
      switch source {
      case .kept: break
      case .moved(let index):
        changes.append(.insert(offset: place, element: new[place], associatedWith: index))
      case .written(let index):
        changes.append(.remove(offset: index, element: old[index], associatedWith: nil))
        changes.append(.insert(offset: place, element: new[place], associatedWith: nil))
      case .inserted:
        changes.append(.insert(offset: place, element: new[place], associatedWith: nil))
      }
    }
    guard let result = CollectionDifference(changes) else {
      preconditionFailure("the changes of a list do not fit together")
    }
    return result
  }
}

extension Array where Element: Hashable {
  /// The replacements that turn the array into another, in order: what goes, counted after the
  /// replacements before it are made, and what of the other array comes in its place.
  ///
  /// An element that was moved goes and comes.
  ///
  /// - Complexity: O(n log n), expected.
  package func replacements(
    toBecome new: [Element]
  ) -> [(replaced: Range<Int>, inserted: Range<Int>)] {
    var replacements: [(replaced: Range<Int>, inserted: Range<Int>)] = []
    var (next, start) = (0, 0)
    func replace(to old: Int, _ end: Int) {
      guard old > next || end > start else { return }
      replacements.append((start..<start + old - next, start..<end))
    }
    for (place, source) in ListDifference(from: self, to: new).sources.enumerated() {
      guard case .kept(let old) = source else { continue }
      replace(to: old, place)
      (next, start) = (old + 1, place + 1)
    }
    replace(to: count, new.count)
    return replacements
  }
}

extension [Int] {
  /// Returns a longest subsequence whose numbers ascend; the numbers are all different.
  ///
  /// - Complexity: O(n log n).
  @usableFromInline
  func longestAscending() -> [Int] {
    // For each length, the index of the least number that ends such a subsequence.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: count)
    for index in indices {
      let length = ends.indices.partitioningIndex { self[ends[$0]] >= self[index] }
      if length > 0 { before[index] = ends[length - 1] }
      if length == ends.count { ends.append(index) } else { ends[length] = index }
    }
    var result: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      result.append(self[index])
      index = before[index]
    }
    return result.reversed()
  }
}
