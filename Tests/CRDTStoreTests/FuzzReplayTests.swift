import CRDTTestSupport
import Foundation
import Testing

/// Inputs that `.ci/fuzz` has found, once more.
///
/// `Tests/Fixtures/crashers` holds those that something was wrong with, which stay; in
/// `Tests/Fuzzing` are those that reach most of the code, which come and go.
@Suite("Inputs that fuzzing has found")
struct FuzzReplayTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The inputs in a file, in Base64: one a line, but for remarks.
  private static func inputs(_ path: String) throws -> [[UInt8]] {
    let file = tests.appending(path: path)
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    return try lines.filter { !$0.hasPrefix("#") }.map {
      [UInt8](try #require(Data(base64Encoded: String($0)), "\($0)"))
    }
  }

  private static func run(_ surface: FuzzSurface, _ inputs: [[UInt8]]) {
    for input in inputs {
      do throws(Discrepancy) { try surface.run(input) } catch {
        Issue.record("\(surface): \(error)\n\(Data(input).base64EncodedString())")
      }
    }
  }

  @Test("What was wrong once is right", arguments: FuzzSurface.allCases)
  func crashers(surface: FuzzSurface) throws {
    Self.run(surface, try Self.inputs("Fixtures/crashers/\(surface.rawValue).txt"))
  }

  @Test("What reaches most of the code is taken in or refused", arguments: FuzzSurface.allCases)
  func kept(surface: FuzzSurface) throws {
    let seeds = try surface.seeds()
    let inputs = try Self.inputs("Fuzzing/\(surface.rawValue).txt")
    #expect(!seeds.isEmpty)
    // The small ones come first: some of all sizes.
    let step = isLongRun ? 1 : isOptimized ? 4 : 40
    Self.run(surface, (seeds + inputs).enumerated().filter { $0.offset % step == 0 }.map(\.element))
  }
}
