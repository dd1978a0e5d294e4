import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

// Whole files and single calls, for tests that are about what comes of them.
extension FileSystem {
  /// Writes bytes with a single call: how many it took.
  @discardableResult
  func write(_ bytes: [UInt8], to file: OpenFile, at offset: Int = 0) throws -> Int {
    try bytes.withUnsafeBytes { try write(file, $0, at: offset) }
  }

  /// Reads bytes with a single call.
  func read(_ file: OpenFile, count: Int = 1 << 16, at offset: Int = 0) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let count = try bytes.withUnsafeMutableBytes { try read(file, into: $0, at: offset) }
    return Array(bytes.prefix(count))
  }
}

extension SimulatedFileSystem {
  /// The file contents that a power cut may leave now.
  func leftovers(
    of path: String, choices: CrashChoices = CrashChoices(randomCount: 100)
  ) -> Set<[UInt8]?> {
    Set(history.images(atCall: callCount, choices: choices, seed: 3).map { $0.image[path] })
  }

  /// The sets of paths that a power cut may leave now.
  func pathsLeft(_ order: CrashChoices.NameOrder) -> Set<Set<String>> {
    let choices = CrashChoices(nameOrder: order, randomCount: 200)
    return Set(
      history.images(atCall: callCount, choices: choices, seed: 3).map { Set($0.image.files.keys) })
  }
}
