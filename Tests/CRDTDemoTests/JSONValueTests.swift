import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("JSON and values")
struct JSONValueTests {
  typealias Value = Document.Value

  private func text(_ text: String) throws -> JSONText { try JSONText(parsing: Array(text.utf8)) }

  @Test("prints on one line, and on lines indented by two spaces")
  func printing() {
    let value = JSONValue.object([
      ("a", .array([.integer(1), .array([]), .object([])])),
      ("b\u{1}\"\\\n\t\r\u{9B}\u{E9}", .object([("c", .null), ("d", .number(.nan))])),
      ("e", .literal("1.50")),
    ])
    let name = "\"b\\u0001\\\"\\\\\\n\\t\\r\\u009b\u{E9}\""
    #expect(
      value.description == "{\"a\":[1,[],{}],\(name):{\"c\":null,\"d\":null},\"e\":1.50}")
    #expect(
      value.indented == """
        {
          "a": [
            1,
            [],
            {}
          ],
          \(name): {
            "c": null,
            "d": null
          },
          "e": 1.50
        }
        """)
  }

  @Test("takes whole numbers for Int64, all others for Double")
  func numbers() throws {
    let cases: [(literal: String, value: Value)] = [
      ("0", 0), ("-0", .double(-0.0)), ("1.0", .double(1)), ("1e2", .double(100)),
      ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
      ("9223372036854775808.0", .double(0x1p63)), ("0.1", .double(0.1)),
      ("0e-400", .double(0)), ("-0.000e999", .double(-0.0)),
      ("5e-324", .double(.leastNonzeroMagnitude)),
      ("1.2345678901234567e19", .double(1.2345678901234567e19)),
      // As C's printf writes 0.1 with 17 and with 34 digits.
      ("0.10000000000000001", .double(0.1)),
      ("0.1000000000000000055511151231257827", .double(0.1)),
      ("-2.50e-1", .double(-0.25)),
    ]
    for (literal, value) in cases {
      #expect(try text(literal).documentValue() == value, "\(literal)")
    }
    #expect(throws: JSONFailure(line: 1, column: 2, reason: Self.beyond)) {
      try text("[1e400]").documentValue()
    }
  }

  @Test("refuses numbers that would become others, and says where they stand")
  func roundedNumbers() throws {
    let (whole, tiny) = (Self.beyondWhole, Self.tiny)
    let cases = [
      ("9223372036854775808", whole), ("-9223372036854775809", whole),
      ("12345678901234567891", whole), ("1e-400", tiny), ("-0.1e-99999999999999999999", tiny),
    ]
    for (literal, reason) in cases {
      #expect(throws: JSONFailure(line: 2, column: 2, reason: reason), "\(literal)") {
        try text("[1,\n \(literal)]").documentValue()
      }
    }
    for literal in [
      "9007199254740993.0", "9007199254740993e0", "1.00000000000000001", "3e-324",
      "1.2345678901234567891e19", "0.1000000000000000055511151231257828",
    ] {
      #expect(throws: JSONFailure.self, "\(literal)") { try text(literal).documentValue() }
    }
  }

  private static let beyondWhole =
    "the whole number is beyond what Int64 holds: write it as a text, or with a point"
  private static let tiny = "the number is so close to 0 that a Double can't hold it"
  private static let beyond = "the number is beyond what a Double holds"

  @Test("tells numbers apart that no Double tells apart, but not their spellings")
  func exactNumbers() throws {
    func exact(_ literal: String) throws -> Value { try text(literal).value(numbers: .exact) }
    let same: [[String]] = [
      ["12345678901234567890", "1234567890123456789e1", "1.2345678901234567890E+19"],
      ["12345678901234567891"],
      ["0.1", "0.10", "1e-1", "0.01E1"],
      ["0.1000000000000000055511151231257827"],
      ["1e400", "10e399", "0.01e402"], ["1e401"], ["-1e400"],
      ["1e-400", "0.1e-399"], ["-0", "-0.0", "-0e7"], ["0.0", "0e99999999999999999999"],
      ["0"], ["1"], ["1.0", "10e-1", "1e0"], ["5e-324", "0.5e-323"], ["4.9e-324"],
      ["1e99999999999999999999"], ["1e99999999999999999998"],
      ["1.7976931348623157e308"], ["1.7976931348623158e308"],
    ]
    var seen: Set<Value> = []
    for literals in same {
      let values = try Set(literals.map(exact))
      #expect(values.count == 1, "\(literals)")
      #expect(seen.isDisjoint(with: values), "\(literals)")
      seen.formUnion(values)
    }
    let shown = try ["12345678901234567890", "-0.12345678901234567891", "1e-400", "3e400"].map {
      JSONValue(plain: try exact($0)).description
    }
    #expect(shown == ["12345678901234567890", "-0.12345678901234567891", "1e-400", "3e400"])
  }

  @Test("keeps what JSON has not in tagged objects")
  func tags() throws {
    let cases: [(value: Value, json: String)] = [
      (.bytes([0x68, 0x69]), "{\"$bytes\":\"aGk=\"}"),
      (.bytes([]), "{\"$bytes\":\"\"}"),
      (.timestamp(5.5), "{\"$timestamp\":5.5}"),
      (.timestamp(-.infinity), "{\"$timestamp\":{\"$double\":\"-infinity\"}}"),
      (.double(.nan), "{\"$double\":\"nan\"}"),
      (.double(.init(bitPattern: 0x7FF8_0000_0000_0001)), "{\"$double\":\"nan:7ff8000000000001\"}"),
      (["$bytes": "aGk="], "{\"$object\":{\"$bytes\":\"aGk=\"}}"),
      (["$bytes": "not base64"], "{\"$bytes\":\"not base64\"}"),
      (["$bytes": "aGl="], "{\"$bytes\":\"aGl=\"}"),
      (["$bytes": "aGk=", "b": 1], "{\"$bytes\":\"aGk=\",\"b\":1}"),
      (["$timestamp": 5.5], "{\"$object\":{\"$timestamp\":5.5}}"),
      (["$timestamp": .timestamp(1)], "{\"$timestamp\":{\"$timestamp\":1.0}}"),
      (["$object": ["a": 1]], "{\"$object\":{\"a\":1}}"),
      (
        ["$object": ["$bytes": "aGk="]],
        "{\"$object\":{\"$object\":{\"$object\":{\"$bytes\":\"aGk=\"}}}}"
      ),
    ]
    for (value, json) in cases {
      #expect(JSONValue(value).description == json)
      #expect(try text(json).documentValue() == value, "\(json)")
    }
  }

  @Test("gives every value back, from either print")
  func roundTrips() throws {
    for seed: UInt64 in 0..<2_000 {
      var random = SeededGenerator(seed: seed)
      let value = Self.value(4, &random)
      for json in [JSONValue(value).description, JSONValue(value).indented] {
        let read = try text(json).documentValue()
        guard read == value else {
          Issue.record("seed \(seed): \(value) became \(read) by way of \(json)")
          return
        }
      }
    }
  }

  private static func value(_ depth: Int, _ random: inout SeededGenerator) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 11 : 7), using: &random) {
    case 0: return [Value.null, true, false].randomElement(using: &random) ?? .null
    case 1: return .int(Int64(bitPattern: random.next()))
    case 2: return .double(Double(bitPattern: random.next()))
    case 3: return .double([.nan, -.infinity, 5, -0.0].randomElement(using: &random) ?? 0)
    case 4:
      return .string(["", "nan", "aGk=", "\u{0}\"\u{E9}"].randomElement(using: &random) ?? "")
    case 5: return .timestamp(Bool.random(using: &random) ? 0.5 : .nan)
    case 6: return .bytes(Array("hi!!".utf8.prefix(Int.random(in: 0...4, using: &random))))
    case 7:
      return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(0, &random) })
    default:
      let names = ["$bytes", "$timestamp", "$double", "$object", "a", ""]
      var fields: [String: Value] = [:]
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        fields[names.randomElement(using: &random) ?? ""] = value(depth - 1, &random)
      }
      return .object(fields)
    }
  }

  @Test("refuses two names that are the same text in two spellings")
  func spellings() throws {
    let both = try text("{\"\u{E9}\": 1,\n \"e\u{301}\": 2}")
    #expect(throws: JSONFailure.self) { try both.documentValue() }
    do throws(JSONFailure) {
      _ = try both.value(numbers: .exact)
    } catch {
      #expect("\(error)".hasPrefix("2:2: another name in the object is the same text"))
    }
  }
}
