import CRDTKit

extension String {
  /// The text on one line, no longer than so many of Unicode's scalars; what a terminal
  /// would act on is a space, and what else doesn't show is escaped.
  func clipped(to length: Int) -> String {
    let end = unicodeScalars.index(
      unicodeScalars.startIndex, offsetBy: length, limitedBy: unicodeScalars.endIndex)
    let shown = String(unicodeScalars[..<(end ?? unicodeScalars.endIndex)])
    let text = shown.replacingScalars { scalar, isHidden in
      guard isHidden else { return nil }
      return scalar.properties.generalCategory == .control ? " " : scalar.visible
    }
    return end.map { $0 < unicodeScalars.endIndex } ?? false ? text + "…" : text
  }

  /// The text with spaces before it, so that it is as wide as that.
  func rightAligned(to width: Int) -> String {
    String(repeating: " ", count: max(width - count, 0)) + self
  }
}
