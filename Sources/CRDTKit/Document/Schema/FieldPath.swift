/// The path of a field: one name for a field of a record, more for one in a nested struct
/// or dictionary.
///
///     let city: FieldPath = "address.city"
///     let price: FieldPath = ["prices", "no.1"]       // a name with a point in it
///     let typed = FieldPath(parsing: argument)        // the text form, from elsewhere
///
/// The text form joins the names with points. A backslash precedes a point or backslash
/// that is part of a name. A backslash alone is the path of the record itself.
public struct FieldPath: Hashable, Sendable {
  /// The names, outermost first; empty for the record itself.
  public var names: [String]

  /// Creates a path from names.
  public init(_ names: [String]) {
    self.names = names
  }

  /// The path of a field beneath this one.
  public func appending(_ name: String) -> FieldPath {
    FieldPath(names + [name])
  }
}

extension FieldPath: CustomStringConvertible, ExpressibleByStringLiteral {
  /// Creates a path from its text form; the empty text is one empty name.
  ///
  /// For a name from elsewhere, which may contain points, use an array of one name.
  public init(parsing text: String) {
    if text == Self.recordText {
      names = []
      return
    }
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\\") })
    else {
      names = [text]
      return
    }
    names = [""]
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped || (scalar != "." && scalar != "\\") {
        names[names.count - 1].unicodeScalars.append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        names.append("")
      }
    }
  }

  /// Creates a path from its text form.
  public init(stringLiteral value: String) {
    self.init(parsing: value)
  }

  /// The text form of the path of the record itself, which no field's path has.
  private static var recordText: String { "\\" }

  /// The text form.
  public var description: String {
    if names.isEmpty { return Self.recordText }
    return names.map { name in
      var text = ""
      for scalar in name.unicodeScalars {
        if scalar == "." || scalar == "\\" { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
      return text
    }.joined(separator: ".")
  }
}

extension FieldPath: ExpressibleByArrayLiteral {
  /// Creates a path from names.
  public init(arrayLiteral elements: String...) {
    names = elements
  }
}

extension FieldPath: Comparable {
  /// Orders paths by their names' bytes, the outermost first.
  public static func < (left: FieldPath, right: FieldPath) -> Bool {
    left.names.lexicographicallyPrecedes(right.names) { $0.comes(before: $1) }
  }
}

extension FieldPath: Codable {
  /// Decodes the text form.
  public init(from decoder: any Decoder) throws {
    self.init(parsing: try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension FieldPath {
  /// Whether a record can have a field with this path.
  package var isUsable: Bool {
    (1...Document.Value.maximumDepth).contains(names.count)
      && names.allSatisfy { $0.utf8.count <= Document.Value.maximumNameLength }
  }
}
