extension String {
  /// The text on one line, with every character visible.
  ///
  /// Characters that control a terminal, are invisible or change the direction of text
  /// are written as escapes such as `\u{202e}`. Apply it to texts of others, such as file
  /// names, before you show them in a message.
  ///
  /// - Complexity: O(number of bytes).
  package var visible: String {
    hasHidden ? replacingScalars { $1 ? $0.visible : nil } : self
  }

  /// Whether the text has characters that are invisible or control a terminal.
  ///
  /// - Complexity: O(number of bytes).
  package var hasHidden: Bool {
    guard !utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return false }
    var isFound = false
    forEachScalar { isFound = isFound || $1 }
    return isFound
  }

  /// Returns the text with some Unicode scalars replaced.
  ///
  /// `body` gets each scalar and whether it is hidden; if it returns `nil`, the scalar
  /// stays.
  package func replacingScalars(
    _ replace: (_ scalar: Unicode.Scalar, _ isHidden: Bool) -> String?
  ) -> String {
    var text = ""
    text.reserveCapacity(utf8.count)
    forEachScalar { scalar, isHidden in
      if let other = replace(scalar, isHidden) {
        text += other
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Calls the body with each Unicode scalar and whether it is hidden.
  ///
  /// Joiners count as visible where they join: within an emoji, or between letters of a
  /// script other than Latin.
  private func forEachScalar(_ body: (Unicode.Scalar, Bool) -> Void) {
    var (previous, waiting): (Unicode.Scalar?, Unicode.Scalar?)
    for scalar in unicodeScalars {
      if let joiner = waiting {
        body(joiner, !(scalar.isJoinable && previous?.isJoinable ?? false))
        previous = joiner
      }
      waiting = scalar.isJoiner ? scalar : nil
      guard waiting == nil else { continue }
      body(scalar, scalar.isHidden)
      previous = scalar
    }
    if let waiting { body(waiting, true) }
  }
}

extension Unicode.Scalar {
  /// The scalar as an escape: `\u{202e}`.
  package var visible: String { "\\u{\(String(value, radix: 16))}" }

  /// Whether the scalar is hidden: a control, format or direction character, or a line
  /// break.
  fileprivate var isHidden: Bool {
    if value < 0xA0 { return value < 0x20 || value >= 0x7F }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// Whether the scalar joins or separates its neighbours.
  fileprivate var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }

  /// Whether a joiner next to the scalar changes its appearance.
  fileprivate var isJoinable: Bool {
    value >= 0x300 && !isHidden && !properties.isWhitespace
  }
}
