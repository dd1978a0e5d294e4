import Foundation
import Testing

@testable import CRDTKit

/// The bytes that the article *Binary format* takes apart are those that are
/// written, and are read as it says.
@Suite("The article on the binary format")
struct BinaryFormatTests {
  struct Note: Hashable, Codable, CanonicalCodable {
    var title: String
    var stars: Int?
    var done: Bool
  }

  private let one = ReplicaID(1)
  private let two = ReplicaID(2)

  /// The bytes of the article's examples, in its order.
  private static func examples() throws -> [[UInt8]] {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let article = try String(
      contentsOfFile: "\(root)/Sources/CRDTKit/CRDTKit.docc/BinaryFormat.md", encoding: .utf8)
    return article.matches(of: /\n```\n(.*?\n)```\n/.dotMatchesNewlines()).map { example in
      example.output.1.split(separator: "\n").flatMap { line in
        line.prefixMatch(of: /([0-9a-f]{2} )+/).map { $0.output.0 }?
          .split(separator: " ").compactMap { UInt8($0, radix: 16) } ?? []
      }
    }
  }

  private func check<Message: BinaryCodable>(_ message: Message, is example: Int) throws {
    let form = try #require(try Self.examples().dropFirst(example).first)
    #expect(message.encoded() == form, "example \(example)")
    #expect(try Message(decoding: form).encoded() == form, "example \(example)")
  }

  @Test("shows a set and its deltas as they are")
  func sets() throws {
    #expect(try Self.examples().count == 5)
    var list = ORSet<String>()
    for element in ["milk", "mint", "tea"] { list.insert(element, by: one) }
    let delta = list.edit(by: two) {
      $0.remove("mint")
      $0.insert("tent")
    }
    try check(list, is: 0)
    try check(delta, is: 1)
    let forgetful = try ORSet<String>(decoding: list.encoded())
    try check(forgetful.delta(since: [one: 2]), is: 2)
  }

  @Test("shows a map of counters as it is")
  func maps() throws {
    var map = MergeMap<String, PNCounter>()
    try map.update("a", by: one) { try $0.increment(3) }
    try map.update("b", by: one) { try $0.increment(300) }
    map.removeValue(forKey: "a", by: two)
    try check(map, is: 3)
  }

  @Test("shows a register of a Codable struct as it is")
  func registers() throws {
    let stamp = HybridTimestamp(milliseconds: 1_000, logical: 2, replica: one)
    try check(LWWRegister(Note(title: "Hi", stars: nil, done: true), at: stamp), is: 4)
  }

  @Test("lists runs as they are written")
  func runs() {
    var runs = CounterRuns()
    for counter in [1, 3, 4, 9] as [UInt64] { runs.append(counter) }
    var writer = ByteWriter()
    runs.encode(to: &writer, after: 0)
    #expect(writer.finish() == [6, 0, 0, 0, 1, 3, 0])
  }
}
