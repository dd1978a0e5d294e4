#if os(Linux)
import Foundation
import Glibc

/// The most memory, in bytes, that this process has had mapped so far; `nil` where
/// the system does not tell.
package func memoryPeak() -> Int? { memory("VmPeak") }

/// How much more memory is resident at most while the body runs than before; `nil` where the
/// system does not tell.
///
/// What was free before is given back first, so that nothing is taken from it unseen. No
/// other thread should do much meanwhile.
package func residentGrowth(_ body: () throws -> Void) rethrows -> Int? {
  typealias Trim = @convention(c) (Int) -> Int32
  if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
  // Begins the peak anew: see proc_pid_clear_refs(5).
  guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs"),
    (try? file.write(contentsOf: Data("5".utf8))) != nil, let before = memory("VmRSS")
  else {
    try body()
    return nil
  }
  defer { try? file.close() }
  try body()
  return memory("VmHWM").map { $0 - before }
}

/// What the system tells of this process under a name, in bytes.
private func memory(_ name: String) -> Int? {
  guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("\(name):") }),
    let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
  else { return nil }
  return kilobytes * 1_024
}
#else
/// The most memory that this process has had mapped so far: not known here.
package func memoryPeak() -> Int? { nil }

/// How much more memory is resident at most while the body runs: not known here.
package func residentGrowth(_ body: () throws -> Void) rethrows -> Int? {
  try body()
  return nil
}
#endif
