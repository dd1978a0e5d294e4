import CRDTKit
import CRDTTestSupport
import Foundation
import Testing

/// The bytes in `Tests/Fixtures/v1/vectors.txt` decode for ever, and are what today's
/// code writes.
///
/// Each line is a name and the bytes in hexadecimal. While no version has been
/// released, `CRDT_WRITE_VECTORS=1 swift test --filter FrozenVectorTests` writes the
/// file anew where the format was changed on purpose; afterwards a change of format
/// needs a new folder and this one stays.
@Suite("Frozen vectors")
struct FrozenVectorTests {
  private var file: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/v1/vectors.txt")
  }

  private func readVectors() throws -> [String: [UInt8]] {
    let text = try String(contentsOf: file, encoding: .utf8)
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
    let vectors = try readVectors()
    #expect(Set(vectors.keys) == Set(Specimens.all.map(\.name)))
    for specimen in Specimens.all {
      let frozen = try #require(vectors[specimen.name], "\(specimen.name)")
      let decodes = try specimen.examine(frozen)
      #expect(decodes, "\(specimen.name) must decode for ever")
      #expect(frozen == specimen.bytes, "\(specimen.name) is written otherwise")
    }
  }

  private func writeVectors() throws {
    let lines = Specimens.all.map { specimen in
      let digits = specimen.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return specimen.name + " " + digits.joined()
    }
    let head = "# What Specimens.swift makes, in format version 1: a name, the bytes.\n"
    try (head + lines.joined(separator: "\n") + "\n").write(
      to: file, atomically: true, encoding: .utf8)
  }
}
