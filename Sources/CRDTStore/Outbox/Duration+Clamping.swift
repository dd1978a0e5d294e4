import CRDTKit

extension Duration {
  /// The whole milliseconds of the duration, none if it is negative.
  var clampedMilliseconds: UInt64 { UInt64(clamping: wholeMilliseconds) }
}
