import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

#if os(Linux)
/// The same calls on the simulated file system and on the machine's: they must have
/// the same outcomes, errors included.
///
/// Other systems give some errors other numbers.
@Suite("The simulated file system against the disk's")
struct SimulatedAgainstDiskTests {
  /// What a call gave: a number, bytes, names or an error.
  private enum Outcome: Equatable {
    case done
    case number(Int)
    case bytes([UInt8])
    case names([String])
    case failed(Int32)
  }

  /// One of the file systems, and what is open in it.
  private struct Side {
    let files: any FileSystem
    var open: [OpenFile]

    init(_ files: any FileSystem, _ path: String) throws {
      self.files = files
      let root = try files.openFolder(at: path)
      try files.makeFolder("d", in: root)
      open = [root, try files.open("d", in: root, for: .folder)]
    }

    mutating func play(_ seed: UInt64) throws -> Outcome {
      var random = SeededGenerator(seed: seed)
      func any(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
      func name() -> String { ["a", "b", "c", "d", "e"][any(5)] }
      let place = any(open.count)
      let file = open[place]
      do {
        switch any(14) {
        case 0...2:
          let use = [OpenFile.Use.folder, .reading, .writing, .creating, .locking][any(5)]
          open.append(try files.open(name(), in: file, for: use))
        case 3: try files.makeFolder(["d", "e"][any(2)], in: file)
        case 4:
          // The first two are the root and a folder, and stay open.
          guard place > 1 else { return .done }
          files.close(open.remove(at: place))
        case 5: return .number(try files.size(of: file))
        case 6: return .bytes(try files.read(file, count: any(50), at: any(50)))
        case 7, 8:
          let bytes = [UInt8](repeating: UInt8(any(256)), count: any(30))
          return .number(try files.write(bytes, to: file, at: any(50)))
        case 9: try files.truncate(file, to: any(60))
        case 10:
          // Names of files only: folders don't move.
          let other = open[any(open.count)]
          try files.rename(["a", "b", "c"][any(3)], in: file, to: name(), in: other)
        case 11: try files.remove(name(), in: file)
        case 12: return .names(try files.names(in: file).sorted())
        default: return .number(try files.lock(file, exclusively: any(2) == 0) ? 1 : 0)
        }
        return .done
      } catch {
        guard let error = error as? SystemError else { throw error }
        // A file put in the place of a folder that it is in is one or the other error.
        return .failed(error.code == ENOTEMPTY ? EISDIR : error.code)
      }
    }
  }

  private static func path() throws -> String {
    let path = NSTemporaryDirectory() + "/crdt-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  @Test("Random calls have the same outcomes")
  func randomCalls() throws {
    var failures = Set<Int32>()
    for run in 0..<20 as Range<UInt64> {
      let path = try Self.path()
      defer { try? FileManager.default.removeItem(atPath: path) }
      let simulated = SimulatedFileSystem(DiskImage(folders: [path]))
      var sides = [try Side(simulated, path), try Side(DiskFileSystem(), path)]
      defer { sides[1].open.forEach(sides[1].files.close) }
      for step in 0..<300 as Range<UInt64> {
        let outcome = try sides[0].play(run << 32 | step)
        let expected = try sides[1].play(run << 32 | step)
        let last = simulated.calls.last.map { "\($0)" } ?? ""
        try #require(outcome == expected, "run \(run), step \(step): \(last)")
        if case .failed(let code) = outcome { failures.insert(code) }
      }
      #expect(simulated.misuses == [])
    }
    #expect(failures.count >= 6, "\(failures)")
  }
}
#endif
