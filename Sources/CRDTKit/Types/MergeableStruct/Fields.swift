/// The fields of a ``MergeableStruct`` that are merged, by their key paths.
///
///     static let fields = Fields(\Cart.items, \Cart.total)
public struct Fields<Root, each Value: DeltaMergeable>: MergeableFields {
  @usableFromInline let paths: (repeat any WritableKeyPath<Root, each Value> & Sendable)

  /// Lists fields, each once.
  @inlinable
  public init(_ paths: repeat any WritableKeyPath<Root, each Value> & Sendable) {
    self.paths = (repeat each paths)
  }
}

extension Fields {
  /// How much a copy of a struct has seen, field by field.
  public struct Version: Sendable {
    @usableFromInline var versions: (repeat (each Value).Version)

    @inlinable
    init(_ versions: repeat (each Value).Version) {
      self.versions = (repeat each versions)
    }
  }

  /// What one copy of a struct knows and a version does not, field by field.
  public struct Delta: Sendable {
    @usableFromInline let deltas: (repeat (each Value).Delta)

    @inlinable
    init(_ deltas: repeat (each Value).Delta) {
      self.deltas = (repeat each deltas)
    }
  }
}

extension Fields {
  /// How much a copy has seen.
  @inlinable
  public func version(of root: Root) -> Version {
    Version(repeat root[keyPath: each paths].version)
  }

  /// Takes in all that another copy knows.
  @inlinable
  public func merge(_ other: Root, into root: inout Root) {
    for path in repeat each paths { root[keyPath: path].merge(other[keyPath: path]) }
  }

  /// What a copy knows and the version does not.
  @inlinable
  public func delta(of root: Root, since version: Version) -> Delta {
    Delta(repeat root[keyPath: each paths].delta(since: each version.versions))
  }

  /// Says whether the deltas of all fields can be taken in.
  @inlinable
  public func check(_ delta: Delta, at root: Root) throws(DeltaError) {
    for (path, delta) in repeat (each paths, each delta.deltas) {
      try root[keyPath: path].check(delta)
    }
  }

  /// Takes in the deltas of all fields, or none; says whether there was anything
  /// new in them.
  @inlinable
  public func apply(_ delta: Delta, to root: inout Root) throws(DeltaError) -> Bool {
    try check(delta, at: root)
    var isNew = false
    for (path, delta) in repeat (each paths, each delta.deltas) {
      isNew = try root[keyPath: path].apply(delta) || isNew
    }
    return isNew
  }

  /// Takes in all that another copy knows, or nothing if a field shows a fork;
  /// says whether there was anything new in it.
  @inlinable
  public func merge(checking other: Root, into root: inout Root) throws(DeltaError) -> Bool {
    // A copy costs little, and what it has come to is dropped if a field refuses.
    var changed = root
    var isNew = false
    for path in repeat each paths {
      isNew = try changed[keyPath: path].merge(checking: other[keyPath: path]) || isNew
    }
    if isNew { root = changed }
    return isNew
  }
}
