public import CRDTKit

extension Document.FieldChange {
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

  /// What the field holds after it was assigned; `nil` where it holds nothing, or the change
  /// adds to it whatever it holds.
  var after: Document.Value? {
    if case .assign(let value, _) = change { value } else { nil }
  }

  /// Whether what one does can be seen by the other: one path is, or leads to, the
  /// other.
  func overlaps(_ other: Document.FieldChange) -> Bool {
    zip(path.names, other.path.names).allSatisfy { $0 == $1 }
  }

  /// The change with moments as a server is told of them.
  var sayingMoments: Document.FieldChange {
    let said: Kind =
      switch change {
      case .assign(let value, let before): .assign(value.sayingMoments, before: before)
      case .insert(let elements): .insert(elements.map(\.sayingMoments))
      case .take(let elements): .take(elements.map(\.sayingMoments))
      case .remove, .increment: change
      }
    return Document.FieldChange(path, said)
  }

  /// The change with another memory of what was there before.
  func replacing(before: Document.Value?) -> Document.FieldChange {
    switch change {
    case .assign(let value, _): Document.FieldChange(path, .assign(value, before: before))
    case .remove: Document.FieldChange(path, .remove(before: before))
    case .increment, .insert, .take: self
    }
  }
}
