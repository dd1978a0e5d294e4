#if os(Linux)
import Foundation

/// The most memory, in bytes, that this process has had mapped so far; `nil` where
/// the system does not tell.
package func memoryPeak() -> Int? {
  guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmPeak:") }),
    let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
  else { return nil }
  return kilobytes * 1_024
}
#else
/// The most memory that this process has had mapped so far: not known here.
package func memoryPeak() -> Int? { nil }
#endif
