/// The key paths of the fields of a ``MergeableStruct`` that are merged.
///
///     static let fields = Fields(\Cart.items, \Cart.total)
public struct Fields<Root, each Value: DeltaMergeable>: MergeableFields {
  @usableFromInline let paths: (repeat any WritableKeyPath<Root, each Value> & Sendable)

  /// Creates a list of fields, each listed once.
  @inlinable
  public init(_ paths: repeat any WritableKeyPath<Root, each Value> & Sendable) {
    self.paths = (repeat each paths)
  }
}

extension Fields {
  /// The events that a copy of a struct has seen, field by field.
  public struct Version: Sendable {
    @usableFromInline var versions: (repeat (each Value).Version)

    @inlinable
    init(_ versions: repeat (each Value).Version) {
      self.versions = (repeat each versions)
    }
  }

  /// The changes of a struct's copy that a version does not contain, field by field.
  public struct Delta: Sendable {
    @usableFromInline let deltas: (repeat (each Value).Delta)

    @inlinable
    init(_ deltas: repeat (each Value).Delta) {
      self.deltas = (repeat each deltas)
    }
  }
}

extension Fields {
  /// Returns the events that a copy has seen.
  @inlinable
  public func version(of root: Root) -> Version {
    Version(repeat root[keyPath: each paths].version)
  }

  /// Merges the state of another copy.
  @inlinable
  public func merge(_ other: Root, into root: inout Root) {
    for path in repeat each paths { root[keyPath: path].merge(other[keyPath: path]) }
  }

  /// Returns the changes of a copy that `version` does not contain.
  @inlinable
  public func delta(of root: Root, since version: Version) -> Delta {
    Delta(repeat root[keyPath: each paths].delta(since: each version.versions))
  }

  /// Checks that the deltas of all fields can be applied.
  @inlinable
  public func check(_ delta: Delta, at root: Root) throws(DeltaError) {
    for (path, delta) in repeat (each paths, each delta.deltas) {
      try root[keyPath: path].check(delta)
    }
  }

  /// Applies the deltas of all fields or of none; returns whether they contained anything
  /// new.
  @inlinable
  public func apply(_ delta: Delta, to root: inout Root) throws(DeltaError) -> Bool {
    try check(delta, at: root)
    var isNew = false
    for (path, delta) in repeat (each paths, each delta.deltas) {
      isNew = try root[keyPath: path].apply(delta) || isNew
    }
    return isNew
  }

  /// Merges the state of another copy, or nothing if a field has a fork; returns whether
  /// the other copy contained anything new.
  @inlinable
  public func merge(checking other: Root, into root: inout Root) throws(DeltaError) -> Bool {
    // A copy is cheap; it is discarded if a field throws.
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
  /// Returns whether both versions contain the same events, in each field.
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
  /// Hashes the versions of all fields.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    for version in repeat each versions { hasher.combine(version) }
  }
}

extension Fields.Version: Mergeable where repeat (each Value).Version: Mergeable {
  /// Adds the events of another version, field by field.
  @inlinable
  public mutating func merge(_ other: Self) {
    versions = (repeat (each versions).merging(each other.versions))
  }
}

extension Fields.Version
where repeat (each Value).Version: Equatable, repeat (each Value).Version: Mergeable {
  /// Returns whether this version contains all events of the other, in each field.
  ///
  /// - Complexity: O(number of replicas), for each field.
  @inlinable
  public func contains(_ other: Self) -> Bool { merging(other) == self }

  /// Compares this version with another.
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
  /// The type codes of versions and of structs, the number of fields, and the type codes
  /// of the fields' versions.
  public static var typeCode: [UInt8] {
    var codes: [[UInt8]] = []
    for version in repeat (each Value).Version.self { codes.append(version.typeCode) }
    return [30] + structCode(of: codes)
  }

  /// Encodes the versions of the fields, one after another.
  public func encode(to writer: inout ByteWriter) {
    for version in repeat each versions { version.encode(to: &writer) }
  }

  /// Decodes the versions of the fields.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    versions = (repeat try (each Value).Version(from: &reader))
  }
}

extension Fields.Delta: CanonicalCodable, BinaryCodable
where repeat (each Value).Delta: CanonicalCodable {
  /// The type codes of deltas and of structs, the number of fields, and the type codes of
  /// the fields' deltas.
  public static var typeCode: [UInt8] {
    var codes: [[UInt8]] = []
    for delta in repeat (each Value).Delta.self { codes.append(delta.typeCode) }
    return [31] + structCode(of: codes)
  }

  /// Encodes the deltas of the fields, one after another.
  public func encode(to writer: inout ByteWriter) {
    for delta in repeat each deltas { delta.encode(to: &writer) }
  }

  /// Decodes the deltas of the fields.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    deltas = (repeat try (each Value).Delta(from: &reader))
  }
}

/// Returns the type code of structs, the number of fields, and the fields' type codes.
private func structCode(of fields: [[UInt8]]) -> [UInt8] {
  var writer = ByteWriter()
  writer.write(41 as UInt8)
  writer.write(varint: UInt64(fields.count))
  for code in fields { writer.write(code) }
  return writer.finish()
}
