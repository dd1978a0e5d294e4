public import CRDTKit

/// What an operation does to one field of its record.
public struct FieldChange: Hashable, Sendable {
  /// The field.
  public var path: FieldPath
  /// What is done to it.
  public var change: Kind

  /// What can be done to a field.
  public enum Kind: Hashable, Sendable {
    /// It gets a value; before that it held another, or nothing.
    case assign(Document.Value, before: Document.Value?)
    /// It is taken away; before that it held a value.
    case remove(before: Document.Value?)
    /// A counter goes up, or down where the number is negative.
    case increment(Int64)
    /// A set gets elements.
    case insert([Document.Value])
    /// A set loses elements.
    case take([Document.Value])
  }

  /// Creates the change of a field.
  public init(_ path: FieldPath, _ change: Kind) {
    self.path = path
    self.change = change
  }
}

extension FieldChange {
  /// Whether the field gets or loses a value as a whole, so that a later such
  /// change makes this one needless.
  public var isAssignment: Bool {
    switch change {
    case .assign, .remove: true
    case .increment, .insert, .take: false
    }
  }

  /// What the field held before; `nil` where it held nothing, or the change adds to
  /// it whatever it holds.
  public var before: Document.Value? {
    switch change {
    case .assign(_, let before), .remove(let before): before
    case .increment, .insert, .take: nil
    }
  }

  /// Whether what one does can be seen by the other: one path is, or leads to, the
  /// other.
  func overlaps(_ other: FieldChange) -> Bool {
    zip(path.names, other.path.names).allSatisfy { $0 == $1 }
  }

  /// The change with another memory of what was there before.
  func replacing(before: Document.Value?) -> FieldChange {
    switch change {
    case .assign(let value, _): FieldChange(path, .assign(value, before: before))
    case .remove: FieldChange(path, .remove(before: before))
    case .increment, .insert, .take: self
    }
  }

  /// Whether a document can take the change.
  var isUsable: Bool {
    let depth =
      switch change {
      case .assign(let value, _): value.depth
      case .insert(let elements), .take(let elements): elements.lazy.map(\.depth).max() ?? 0
      case .remove, .increment: 0
      }
    return path.isUsable && path.names.count + depth <= Document.Value.depthMax
  }
}
