extension Document {
  /// One thing that differs between two versions of a model: what a change of the
  /// model does to one field.
  ///
  /// A change says what its author meant: that a number was counted up by 2, and not
  /// that it was 7; so it can be made again elsewhere, and undone.
  public struct FieldChange: Hashable, Sendable {
    /// The field.
    public var path: FieldPath
    /// What is done to it.
    public var change: Kind

    /// What is done to a field.
    public enum Kind: Hashable, Sendable {
      /// It gets a value, in place of another or none.
      case assign(Value, before: Value?)
      /// It is removed, with the value that it has.
      case remove(before: Value?)
      /// It is counted up, or down by a negative amount.
      case increment(Int64)
      /// Elements are added to the set that it holds.
      case insert([Value])
      /// Elements are taken out of the set that it holds.
      case take([Value])
    }

    /// Creates a change of a field.
    public init(_ path: FieldPath, _ change: Kind) {
      self.path = path
      self.change = change
    }
  }
}

extension Document.FieldChange {
  /// The change that undoes this one.
  public var inverse: Document.FieldChange {
    let undoing: Kind =
      switch change {
      case .assign(let value, before: let before?): .assign(before, before: value)
      case .assign(let value, before: nil): .remove(before: value)
      case .remove(before: let before?): .assign(before, before: nil)
      case .remove(before: nil): .remove(before: nil)
      case .increment(let amount): .increment(amount == .min ? .max : -amount)
      case .insert(let elements): .take(elements)
      case .take(let elements): .insert(elements)
      }
    return Document.FieldChange(path, undoing)
  }
}

extension Document.FieldChange: CustomStringConvertible {
  /// The path, and what is done.
  public var description: String {
    let path = path.description.visible
    return switch change {
    case .assign(let value, _): "\(path) = \(value)"
    case .remove: "\(path) removed"
    case .increment(let amount): "\(path) \(amount < 0 ? "-" : "+")= \(amount.magnitude)"
    case .insert(let elements): "\(path) + \(Document.Value.array(elements))"
    case .take(let elements): "\(path) - \(Document.Value.array(elements))"
    }
  }
}
