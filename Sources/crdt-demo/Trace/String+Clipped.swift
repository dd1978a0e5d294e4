extension String {
  /// The text on one line, without what a terminal would act on, and no longer than
  /// so many of Unicode's scalars.
  func clipped(to length: Int) -> String {
    var clipped = ""
    for (count, scalar) in unicodeScalars.enumerated() {
      if count == length { return clipped + "…" }
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      clipped.unicodeScalars.append(isControl ? " " : scalar)
    }
    return clipped
  }

  /// The text with spaces before it, so that it is as wide as that.
  func rightAligned(to width: Int) -> String {
    String(repeating: " ", count: max(width - count, 0)) + self
  }
}
