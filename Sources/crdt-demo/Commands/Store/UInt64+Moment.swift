#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension UInt64 {
  /// Milliseconds since 1970 as date and time in UTC.
  var momentText: String {
    // A clock of 48 bits, as stamps have, goes no further.
    let milliseconds = Swift.min(self, 1 << 48)
    return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
