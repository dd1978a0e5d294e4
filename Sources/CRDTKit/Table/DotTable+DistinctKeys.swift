extension DotTable {
  /// How many different keys the live rows have.
  ///
  /// - Complexity: O(1) while no two rows have the same key; otherwise, after each
  ///   change, expected O(rows that ever shared one). After rows were taken in, also
  ///   expected O(their number), once.
  @inlinable
  package var distinctKeyCount: Int {
    guard rowCount > 1 else { return rowCount }
    return rowCount &- shadowedDots().count
  }

  /// How many different keys some live rows have that are all there are with
  /// these keys, given by their dots in order.
  @inlinable
  package func distinctKeyCount(of dots: ContiguousArray<Dot>) -> Int {
    // What one replica writes replaces what it wrote before under the same key: only
    // a made-up state has two such rows, and counts them both.
    guard dots.first?.replica != dots.last?.replica else { return dots.count }
    let shadows = shadowedDots()
    var count = dots.count
    var next = 0
    for dot in dots {
      while next < shadows.count, shadows[next] < dot { next &+= 1 }
      if next < shadows.count, shadows[next] == dot { count &-= 1 }
    }
    return count
  }

  /// The dots of the rows that stand behind another with the same key, in order.
  @inlinable
  package func shadowedDots() -> ContiguousArray<Dot> {
    guard let index else { return scannedShadows() }
    let cache = current(index)
    guard !cache.index.pointee.twins.isEmpty else { return [] }
    if let shadows = cache.publishedShadows { return shadows.dots }
    return cache.publish(shadows: ShadowList(shadows(among: cache.index))).dots
  }

  @inlinable
  func shadows(among index: UnsafeMutablePointer<KeyIndex>) -> ContiguousArray<Dot> {
    var shadows: ContiguousArray<Dot> = []
    var isHandled: Set<Dot> = []
    for twin in index.pointee.twins where !isHandled.contains(twin) {
      guard let key = row(at: twin)?.key else { continue }
      var matches: ContiguousArray<Dot> = []
      forEachMatch(of: key, hash: index.pointee.hash(of: key), in: index) { matches.append($0) }
      matches.sort()
      isHandled.formUnion(matches)
      shadows.append(contentsOf: matches.dropFirst())
    }
    shadows.sort()
    return shadows
  }

  /// The shadows of a table so small that its rows are compared one by one.
  @inlinable
  func scannedShadows() -> ContiguousArray<Dot> {
    var keys: [Key] = []
    var shadows: ContiguousArray<Dot> = []
    forEachRow { dot, row in
      let isKnown = keys.contains { KeyIdentity.areSame($0, row.key) }
      if isKnown { shadows.append(dot) } else { keys.append(row.key) }
    }
    return shadows
  }
}
