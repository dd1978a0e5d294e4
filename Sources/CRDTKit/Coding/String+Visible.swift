extension String {
  /// The text on one line, all of which shows: what a terminal would act on, and what
  /// hides, or turns the text around it, is written as `\u{202e}`.
  ///
  /// Texts that others have written, as the names of files, go through it before a
  /// person reads them in a message.
  ///
  /// - Complexity: O(n) in the bytes.
  package var visible: String {
    hasHidden ? replacingScalars { $1 ? $0.visible : nil } : self
  }

  /// Whether the text has anything that doesn't show, or that would act on a terminal.
  ///
  /// - Complexity: O(n) in the bytes.
  package var hasHidden: Bool {
    guard !utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return false }
    var isFound = false
    forEachScalar { isFound = isFound || $1 }
    return isFound
  }

  /// The text with others in the place of some of Unicode's scalars.
  ///
  /// The body is given a scalar, and whether it doesn't show; with `nil` it stays.
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

  /// Calls the body with each of Unicode's scalars, and whether it doesn't show.
  ///
  /// Joiners count as shown where they join: within an emoji, or between letters of a
  /// script other than the Latin one.
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

  /// Whether it doesn't show: it controls, formats, turns, or ends a line.
  fileprivate var isHidden: Bool {
    if value < 0xA0 { return value < 0x20 || value >= 0x7F }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// Whether it joins what stands on its sides, or keeps that apart.
  fileprivate var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }

  /// Whether a joiner beside it makes a difference to what is seen.
  fileprivate var isJoinable: Bool {
    value >= 0x300 && !isHidden && !properties.isWhitespace
  }
}
