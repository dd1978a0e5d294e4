extension Document {
  /// The error for a value that a field can't hold: it is nested too deep, or a name is
  /// too long.
  public struct UnstorableValue: Error, Hashable, Sendable {
    /// The property of a value that does not fit.
    public enum Reason: Hashable, Sendable {
      /// More than ``Document/Value/maximumDepth`` levels, including the path's names.
      case nestedTooDeep
      /// A name with this number of bytes, more than ``Document/Value/maximumNameLength``.
      case nameTooLong(Int)
    }

    /// The field for the value; the record itself if its own name or the collection's is
    /// too long.
    public let path: FieldPath
    /// The reason why it does not fit.
    public let reason: Reason
  }
}

extension Document.UnstorableValue: CustomStringConvertible {
  /// The reason with the limits, and the field.
  public var description: String {
    let place = path.names.isEmpty ? "the record" : "the field \(path.description.visible)"
    switch reason {
    case .nestedTooDeep:
      return "\(place) is nested deeper than \(Document.Value.maximumDepth) levels"
    case .nameTooLong(let count):
      return "\(place) has a name of \(count) bytes, more than \(Document.Value.maximumNameLength)"
    }
  }
}

extension Document.Value {
  /// Throws unless a value can be written at a path and read again.
  ///
  /// Use it for values from outside, because writing a value that does not fit is a
  /// programmer error.
  ///
  /// - Complexity: O(size of the value), up to the first level that is too deep.
  /// - Throws: ``Document/UnstorableValue`` with the reason.
  package func requireRoom(at path: FieldPath) throws(Document.UnstorableValue) {
    if let reason = path.names.lazy.compactMap({ $0.reasonAgainstName }).first {
      // The error does not repeat a name that is too long.
      throw Document.UnstorableValue(path: [], reason: reason)
    }
    let depthLeft = Self.maximumDepth - path.names.count
    if depthLeft < 0 { throw Document.UnstorableValue(path: path, reason: .nestedTooDeep) }
    if let reason = reasonAgainst(depthLeft: depthLeft) {
      throw Document.UnstorableValue(path: path, reason: reason)
    }
  }

  private func reasonAgainst(depthLeft: Int) -> Document.UnstorableValue.Reason? {
    switch self {
    case .array(let values):
      if depthLeft == 0 { return .nestedTooDeep }
      for value in values {
        if let reason = value.reasonAgainst(depthLeft: depthLeft - 1) { return reason }
      }
      return nil
    case .object(let fields):
      if depthLeft == 0 { return .nestedTooDeep }
      for (name, value) in fields {
        if let reason = name.reasonAgainstName { return reason }
        if let reason = value.reasonAgainst(depthLeft: depthLeft - 1) { return reason }
      }
      return nil
    default: return nil
    }
  }
}

extension String {
  /// The reason why the text can't be a name in a document; `nil` if it can.
  var reasonAgainstName: Document.UnstorableValue.Reason? {
    isLongName ? .nameTooLong(utf8.count) : nil
  }
}
