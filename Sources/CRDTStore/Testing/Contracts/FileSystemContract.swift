public import CRDTStore

/// The contract of `FileSystem`, except for the effects of a power cut.
public enum FileSystemContract {
  /// Checks a file system.
  ///
  /// - Parameters:
  ///   - fileSystem: The file system to check.
  ///   - path: The path of an existing empty folder.
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(
    _ fileSystem: any FileSystem, in path: String
  ) async -> [ContractViolation] {
    let bench = Bench(fileSystem, path)
    do throws(SystemError) {
      bench.expectFailure("what isn't there can't be opened") { () throws(SystemError) in
        _ = try fileSystem.openFolder(at: "\(path)/none")
      }
      try fileSystem.makeFolder(at: "\(path)/made")
      bench.expectFailure("what is there isn't made again") { () throws(SystemError) in
        try fileSystem.makeFolder(at: "\(path)/made")
      }
      let folder = try fileSystem.openFolder(at: "\(path)/made")
      defer { fileSystem.close(folder) }
      try bench.checkBytes(in: folder)
      try bench.checkNames(in: folder)
      try bench.checkLocks(in: folder)
      try bench.checkIdentity(in: folder)
      let free = try fileSystem.freeBytes(in: folder)
      bench.report.expect(free >= 0, "there are some bytes free, or none", "\(free)")
    } catch {
      bench.report.note(error, "calls that should succeed do")
    }
    return bench.report.violations
  }

  fileprivate final class Bench {
    let fileSystem: any FileSystem
    let path: String
    var report = ContractReport("FileSystem")

    init(_ fileSystem: any FileSystem, _ path: String) {
      self.fileSystem = fileSystem
      self.path = path
    }

    func expectFailure(_ rule: String, _ call: () throws(SystemError) -> Void) {
      do throws(SystemError) {
        try call()
        report.expect(false, rule, "the call succeeded")
      } catch {
        report.expect(error.code > 0 && !error.call.isEmpty, "an error has a name and a number")
      }
    }

    func read(_ file: OpenFile, at offset: Int, _ count: Int) throws(SystemError) -> [UInt8] {
      var bytes = [UInt8](repeating: 0xEE, count: count)
      var failure: SystemError?
      var filled = 0
      bytes.withUnsafeMutableBytes { room in
        do throws(SystemError) {
          while filled < count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[filled...])
            let got = try fileSystem.read(file, into: rest, at: offset + filled)
            guard got > 0 else { return }
            filled += min(got, rest.count)
          }
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      return Array(bytes.prefix(filled))
    }

    func write(_ file: OpenFile, _ bytes: [UInt8], at offset: Int) throws(SystemError) {
      var written = 0
      while written < bytes.count {
        let rest = Array(bytes[written...])
        let count = try rest.withUnsafeBufferPointer { (rest) throws(SystemError) in
          try fileSystem.write(file, UnsafeRawBufferPointer(rest), at: offset + written)
        }
        guard count > 0 else { throw SystemError("write", code: 5) }
        written += count
      }
    }
  }
}

extension FileSystemContract.Bench {
  fileprivate func checkBytes(in folder: OpenFile) throws(SystemError) {
    expectFailure("a file that isn't there can't be opened for reading") {
      () throws(SystemError) in _ = try fileSystem.open("f", in: folder, for: .reading)
    }
    expectFailure("a file that isn't there can't be opened for writing") {
      () throws(SystemError) in _ = try fileSystem.open("f", in: folder, for: .writing)
    }
    let file = try fileSystem.open("f", in: folder, for: .creating)
    expectFailure("a file that is there isn't created") { () throws(SystemError) in
      _ = try fileSystem.open("f", in: folder, for: .creating)
    }
    let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try write(file, bytes, at: 0)
    try write(file, [1, 2, 3], at: 6_000)
    try write(file, [9], at: 10)
    var wanted = bytes + [UInt8](repeating: 0, count: 1_000) + [1, 2, 3]
    wanted[10] = 9
    report.expect(try fileSystem.size(of: file), is: 6_003, "a file is as long as was written")
    report.expect(
      try read(file, at: 0, 10_000) == wanted, "a file has the bytes that were written, and zeros")
    report.expect(try read(file, at: 6_003, 10), is: [], "at the end there are no bytes")
    report.expect(try read(file, at: 9_000, 10), is: [], "beyond the end there are no bytes")
    try fileSystem.truncate(file, to: 12)
    report.expect(try fileSystem.size(of: file), is: 12, "a file can be cut")
    try fileSystem.truncate(file, to: 14)
    report.expect(
      try read(file, at: 11, 10), is: [bytes[11], 0, 0], "a file that is lengthened has zeros")
    try fileSystem.synchronize(file)
    fileSystem.close(file)
    let again = try fileSystem.open("f", in: folder, for: .reading)
    report.expect(try read(again, at: 10, 1), is: [9], "what was written is there when reopened")
    expectFailure("a file that was opened for reading isn't written") { () throws(SystemError) in
      try write(again, [1], at: 0)
    }
    fileSystem.close(again)
  }

  fileprivate func checkNames(in folder: OpenFile) throws(SystemError) {
    try fileSystem.makeFolder("inner", in: folder)
    expectFailure("a folder that is there isn't made") { () throws(SystemError) in
      try fileSystem.makeFolder("inner", in: folder)
    }
    let inner = try fileSystem.open("inner", in: folder, for: .folder)
    defer { fileSystem.close(inner) }
    expectFailure("a file isn't opened as a folder") { () throws(SystemError) in
      _ = try fileSystem.open("f", in: folder, for: .folder)
    }
    report.expect(
      try fileSystem.names(in: folder).sorted(), is: ["f", "inner"], "a folder has its names")
    let other = try fileSystem.open("g", in: inner, for: .creating)
    let number = try fileSystem.identity(of: other).number
    let first = try fileSystem.open("f", in: folder, for: .writing)
    report.expect(
      try fileSystem.identity(of: first).number != number, "two files have two numbers")
    fileSystem.close(first)
    try write(other, [7], at: 0)
    try fileSystem.rename("g", in: inner, to: "f", in: folder)
    report.expect(try fileSystem.names(in: inner), is: [], "a file that is renamed goes")
    report.expect(try fileSystem.identity(of: other).number, is: number, "a file keeps its number")
    let replaced = try fileSystem.open("f", in: folder, for: .reading)
    report.expect(try read(replaced, at: 0, 9), is: [7], "a file replaces what has its new name")
    fileSystem.close(replaced)
    try fileSystem.synchronizeNames(in: folder)
    try fileSystem.remove("f", in: folder)
    report.expect(try read(other, at: 0, 9), is: [7], "a file that is open outlives its name")
    fileSystem.close(other)
    report.expect(try fileSystem.names(in: folder), is: ["inner"], "a name that is removed goes")
    expectFailure("what isn't there isn't removed") { () throws(SystemError) in
      try fileSystem.remove("f", in: folder)
    }
    expectFailure("what isn't there isn't renamed") { () throws(SystemError) in
      try fileSystem.rename("f", in: folder, to: "g", in: folder)
    }
  }

  fileprivate func checkLocks(in folder: OpenFile) throws(SystemError) {
    let first = try fileSystem.open("lock", in: folder, for: .locking)
    let second = try fileSystem.open("lock", in: folder, for: .locking)
    defer { fileSystem.close(second) }
    report.expect(try fileSystem.lock(first, exclusively: true), "a free lock is taken")
    report.expect(
      try !fileSystem.lock(second, exclusively: true), "a lock that is held isn't taken")
    report.expect(
      try !fileSystem.lock(second, exclusively: false), "a lock that is held isn't shared")
    fileSystem.close(first)
    report.expect(
      try fileSystem.lock(second, exclusively: false), "a lock is free when its file is closed")
    let third = try fileSystem.open("lock", in: folder, for: .locking)
    defer { fileSystem.close(third) }
    report.expect(try fileSystem.lock(third, exclusively: false), "a lock can be shared")
  }

  fileprivate func checkIdentity(in folder: OpenFile) throws(SystemError) {
    let file = try fileSystem.open("identity", in: folder, for: .locking)
    defer { fileSystem.close(file) }
    let made = try fileSystem.identity(of: file)
    _ = try fileSystem.lock(file, exclusively: true)
    _ = try read(file, at: 0, 1)
    try fileSystem.synchronizeNames(in: folder)
    let again = try fileSystem.open("identity", in: folder, for: .locking)
    report.expect(
      try fileSystem.identity(of: again), is: made, "a file that isn't changed keeps its identity")
    fileSystem.close(again)
    // The clock of a disk may tick only a hundred times a second.
    var changed = made
    for _ in 0..<1 << 20 where changed == made {
      try fileSystem.truncate(file, to: 0)
      changed = try fileSystem.identity(of: file)
    }
    report.expect(
      changed != made && changed.number == made.number,
      "a file that is written as it was has another time of change")
    let root = try fileSystem.identity(of: folder)
    report.expect(
      root.number != made.number, "a folder has a number of its own")
  }
}
