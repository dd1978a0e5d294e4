import CRDTKit
import CRDTTestSupport
import Foundation
import Testing

/// The bytes in `Tests/Fixtures/v1/vectors.txt` and `v2/vectors.txt` decode for ever, and
/// those of the second are what today's code writes.
///
/// Each line is a name and the bytes in hexadecimal. While no version has been
/// released, `CRDT_WRITE_VECTORS=1 swift test --filter FrozenVectorTests` writes the
/// file anew where the format was changed on purpose; afterwards a change of format
/// needs a new folder and this one stays.
@Suite("Frozen vectors")
struct FrozenVectorTests {
  private func file(_ version: Int) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/v\(version)/vectors.txt")
  }

  private func readVectors(_ version: Int) throws -> [String: [UInt8]] {
    let text = try String(contentsOf: file(version), encoding: .utf8)
    var vectors: [String: [UInt8]] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: " ")
      try #require(parts.count == 2, "\(line)")
      let digits = Array(parts[1].utf8)
      try #require(digits.count % 2 == 0, "\(parts[0])")
      vectors[String(parts[0])] = try stride(from: 0, to: digits.count, by: 2).map { place in
        let pair = String(decoding: digits[place..<place + 2], as: UTF8.self)
        return try #require(UInt8(pair, radix: 16), "\(parts[0])")
      }
    }
    return vectors
  }

  @Test("every vector decodes, is encoded as it was and is what is written today")
  func vectors() throws {
    if ProcessInfo.processInfo.environment["CRDT_WRITE_VECTORS"] != nil { try writeVectors() }
    let vectors = try readVectors(2)
    #expect(Set(vectors.keys) == Set(Specimens.all.map(\.name)))
    for specimen in Specimens.all {
      let frozen = try #require(vectors[specimen.name], "\(specimen.name)")
      let decodes = try specimen.examine(frozen)
      #expect(decodes, "\(specimen.name) must decode for ever")
      #expect(frozen == specimen.bytes, "\(specimen.name) is written otherwise")
    }
  }

  @Test("every vector of version 1 holds what today's does")
  func version1() throws {
    let vectors = try readVectors(1)
    #expect(Set(vectors.keys) == Set(Specimens.all.map(\.name)))
    for specimen in Specimens.all {
      let frozen = try #require(vectors[specimen.name], "\(specimen.name)")
      #expect(specimen.isRead(frozen), "\(specimen.name) is read otherwise")
    }
  }

  private func writeVectors() throws {
    let lines = Specimens.all.map { specimen in
      let digits = specimen.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return specimen.name + " " + digits.joined()
    }
    let head = "# What Specimens.swift makes, in format version 2: a name, the bytes.\n"
    try (head + lines.joined(separator: "\n") + "\n").write(
      to: file(2), atomically: true, encoding: .utf8)
  }
}
