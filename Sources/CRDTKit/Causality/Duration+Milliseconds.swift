extension Duration {
  /// The whole milliseconds of the duration, towards zero.
  package var wholeMilliseconds: Int128 {
    let (seconds, attoseconds) = components
    return Int128(seconds) * 1_000 + Int128(attoseconds) / 1_000_000_000_000_000
  }
}
