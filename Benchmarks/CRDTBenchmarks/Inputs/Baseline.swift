/// What the standard library does for the same job.
enum Baseline {
  /// `Set.union`, which copies the left set by itself.
  static func union<Element: Hashable>(_ left: Set<Element>, _ right: Set<Element>) -> Workload {
    Workload(
      prepare: { (left: left, right: right, union: Set<Element>()) },
      run: { $0.union = $0.left.union($0.right) },
      outcome: { $0.union.count }
    )
  }

  /// `Dictionary.merge` into a copy that was made before, keeping the greater
  /// values.
  ///
  /// Written out as the loop that it is: the library's own, compiled for several
  /// types of keys in one program, takes twice as long for integers. (So does
  /// the loop with a default that is not a constant: each one is put on the heap.)
  static func merge<Key: Hashable>(
    _ left: [Key: Int], _ right: [Key: Int],
    outcome: @escaping ([Key: Int]) -> Int = { $0.count }
  ) -> Workload {
    Workload(
      prepare: { (left: separate(left), right: right) },
      run: { state in
        for (key, value) in state.right { state.left[key, default: .min].raise(to: value) }
      },
      outcome: { outcome($0.left) }
    )
  }

  /// A copy with storage of its own.
  static func separate<Key: Hashable>(_ dictionary: [Key: Int]) -> [Key: Int] {
    var copy = dictionary
    // Writing is what parts a copy from its original.
    if let (key, value) = dictionary.first { copy.updateValue(value, forKey: key) }
    return copy
  }

  /// A copy of bytes into a new array.
  static func copy(of bytes: [UInt8], repetitions: Int = 1) -> Workload {
    Workload(
      repetitions: repetitions,
      prepare: { [[UInt8]](repeating: [], count: repetitions) },
      run: { copies in
        for place in copies.indices {
          copies[place] = bytes.withUnsafeBytes { [UInt8]($0) }
        }
      }
    )
  }
}

extension Baseline {
  /// `Set.insert` one by one, from empty, with no room made ahead.
  static func insert<Element: Hashable>(_ elements: [Element]) -> Workload {
    Workload(
      prepare: { Set<Element>() },
      run: { set in for element in elements { set.insert(element) } },
      outcome: { $0.count }
    )
  }
}

extension Int {
  fileprivate mutating func raise(to value: Int) {
    if value > self { self = value }
  }
}
