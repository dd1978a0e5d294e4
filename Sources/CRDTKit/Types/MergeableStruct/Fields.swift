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

extension Fields.Version: CanonicalCodable, BinaryCodable
where repeat (each Value).Version: CanonicalCodable {
  /// The codes of versions and of structs, the number of fields, and the codes of
  /// the fields' versions.
  public static var typeCode: [UInt8] {
    var codes: [[UInt8]] = []
    for version in repeat (each Value).Version.self { codes.append(version.typeCode) }
    return [30] + structCode(of: codes)
  }

  /// Writes the versions of the fields, one after another.
  public func encode(to writer: inout ByteWriter) {
    for version in repeat each versions { version.encode(to: &writer) }
  }

  /// Reads the versions of the fields.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    versions = (repeat try (each Value).Version(from: &reader))
  }
}

extension Fields.Delta: CanonicalCodable, BinaryCodable
where repeat (each Value).Delta: CanonicalCodable {
  /// The codes of deltas and of structs, the number of fields, and the codes of
  /// the fields' deltas.
  public static var typeCode: [UInt8] {
    var codes: [[UInt8]] = []
    for delta in repeat (each Value).Delta.self { codes.append(delta.typeCode) }
    return [31] + structCode(of: codes)
  }

  /// Writes the deltas of the fields, one after another.
  public func encode(to writer: inout ByteWriter) {
    for delta in repeat each deltas { delta.encode(to: &writer) }
  }

  /// Reads the deltas of the fields.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    deltas = (repeat try (each Value).Delta(from: &reader))
  }
}

/// The code of structs, the number of fields, and their codes.
private func structCode(of fields: [[UInt8]]) -> [UInt8] {
  var writer = ByteWriter()
  writer.write(41 as UInt8)
  writer.write(varint: UInt64(fields.count))
  for code in fields { writer.write(code) }
  return writer.finish()
}
