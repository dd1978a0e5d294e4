extension Fields.Version: Equatable where repeat (each Value).Version: Equatable {
  /// Whether both have seen the same, in each field.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    var isEqual = true
    for (one, other) in repeat (each left.versions, each right.versions) {
      isEqual = isEqual && one == other
    }
    return isEqual
  }
}

extension Fields.Version: Hashable where repeat (each Value).Version: Hashable {
  /// Adds the versions of all fields.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    for version in repeat each versions { hasher.combine(version) }
  }
}

extension Fields.Version: Mergeable where repeat (each Value).Version: Mergeable {
  /// Takes in all that another version has seen, field by field.
  @inlinable
  public mutating func merge(_ other: Self) {
    versions = (repeat (each versions).merging(each other.versions))
  }
}

extension Fields.Version
where repeat (each Value).Version: Equatable, repeat (each Value).Version: Mergeable {
  /// Whether this version has seen all that the other has, in each field.
  ///
  /// - Complexity: O(number of replicas), for each field.
  @inlinable
  public func contains(_ other: Self) -> Bool { merging(other) == self }

  /// How this version stands to another.
  ///
  ///     switch here.version.compared(to: there.version) {
  ///     case .before: …                    // here something is missing
  ///
  /// - Complexity: O(number of replicas), for each field.
  @inlinable
  public func compared(to other: Self) -> VersionVector.Ordering {
    switch (contains(other), other.contains(self)) {
    case (true, true): .equal
    case (true, false): .after
    case (false, true): .before
    case (false, false): .concurrent
    }
  }
}
