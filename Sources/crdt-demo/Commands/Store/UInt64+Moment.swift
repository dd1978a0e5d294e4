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

  /// How long ago a moment was, as people say it.
  func age(at now: UInt64) -> String {
    let seconds = (now - Swift.min(self, now)) / 1_000
    return switch seconds {
    case 0: "now"
    case ..<60: "\(seconds) s ago"
    case ..<3_600: "\(seconds / 60) min ago"
    case ..<172_800: "\(seconds / 3_600) h ago"
    default: "\((seconds / 86_400).counted("day")) ago"
    }
  }
}
