import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@Suite("Version vectors")
struct VersionVectorTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  @Test("order by what they contain")
  func order() {
    let older: VersionVector = [phone: 1]
    let newer: VersionVector = [phone: 2, laptop: 1]
    let other: VersionVector = [laptop: 3]
    #expect(older.compared(to: newer) == .before)
    #expect(newer.compared(to: older) == .after)
    #expect(newer.compared(to: other) == .concurrent)
    #expect(older.compared(to: older) == .equal)
    #expect(newer.merging(other) == [phone: 2, laptop: 3])
    #expect(newer.subtracting(older) == newer)
  }

  @Test("do what dictionaries of the greatest counters do")
  func model() {
    var random = SeededGenerator(seed: 1)
    func counters() -> [ReplicaID: UInt64] {
      let count = Int.random(in: 0...4, using: &random)
      return Dictionary(
        (0..<count).map { _ in
          let replica = ReplicaID(.random(in: 1...6, using: &random))
          return (replica, UInt64.random(in: 1...3, using: &random))
        }, uniquingKeysWith: max)
    }
    func version(_ counters: [ReplicaID: UInt64]) -> VersionVector {
      var version: VersionVector = [:]
      for (replica, counter) in counters { version[replica] = counter }
      return version
    }
    for round in 0..<2_000 {
      let (one, other) = (counters(), counters())
      let (left, right) = (version(one), version(other))
      let hasAll = other.allSatisfy { one[$0.key, default: 0] >= $0.value }
      #expect(left.merging(right) == version(one.merging(other, uniquingKeysWith: max)), "\(round)")
      #expect(left.contains(right) == hasAll, "\(round)")
      #expect(
        right.subtracting(left) == version(other.filter { one[$0.key, default: 0] < $0.value }),
        "\(round)")
    }
  }

  @Test("are objects of JSON, by replica")
  func json() throws {
    let version: VersionVector = [laptop: .max, phone: 2]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(version)
    #expect(
      String(decoding: data, as: UTF8.self)
        == #"{"0000000000000001":2,"0000000000000002":18446744073709551615}"#)
    #expect(try JSONDecoder().decode(VersionVector.self, from: data) == version)
    let dot = try encoder.encode(Dot(phone, .max))
    #expect(
      String(decoding: dot, as: UTF8.self)
        == #"{"counter":18446744073709551615,"replica":"0000000000000001"}"#)
    #expect(try JSONDecoder().decode(Dot.self, from: dot) == Dot(phone, .max))
    let record = Document.RecordID("n1", in: "notes")
    let name = try encoder.encode(record)
    #expect(String(decoding: name, as: UTF8.self) == #"{"collection":"notes","record":"n1"}"#)
    #expect(try JSONDecoder().decode(Document.RecordID.self, from: name) == record)
    let wrong = [
      #"{"1":2}"#, #"{"0000000000000001":0}"#, #"{"0000000000000001":-1}"#,
      #"{"000000000000000a":1,"000000000000000A":2}"#, "[]",
    ]
    for text in wrong {
      #expect(throws: DecodingError.self, "\(text)") {
        try JSONDecoder().decode(VersionVector.self, from: Data(text.utf8))
      }
    }
  }
}
