import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport

@testable import CRDTSimulator
@testable import Toolkit

/// Random JSON: few names and values, so that versions often meet, and layouts of
/// all kinds.
enum RandomJSON {
  static func object(_ depth: Int, _ random: inout SeededGenerator) -> JSONValue {
    var members: [(name: String, value: JSONValue)] = []
    for name in ["a", "b", "c", "d\n", "\u{E9}"].shuffled(using: &random)
    where Bool.random(using: &random) {
      members.append((name, value(depth, &random)))
    }
    return .object(members)
  }

  private static func value(_ depth: Int, _ random: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 4), using: &random) {
    case 0:
      let literals = ["1", "2", "-0", "1.50", "1e400", "12345678901234567891", "true", "null"]
      return .literal(literals.randomElement(using: &random) ?? "0")
    case 1: return .integer(Int.random(in: 0...9, using: &random))
    case 2: return .string(["", "x\t", "\u{E9}"].randomElement(using: &random) ?? "")
    case 3...5:
      let count = Int.random(in: 0...3, using: &random)
      return .array((0..<count).map { _ in value(depth - 1, &random) })
    default: return object(depth - 1, &random)
    }
  }

  static func edited(_ value: JSONValue, _ random: inout SeededGenerator) -> JSONValue {
    guard case .object(let members) = value else { return self.value(2, &random) }
    var edited: [(name: String, value: JSONValue)] = []
    for member in members {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: continue
      case 1...3: edited.append((member.name, self.edited(member.value, &random)))
      default: edited.append(member)
      }
    }
    for name in ["a", "b", "c", "e", "f"] where Int.random(in: 0..<6, using: &random) == 0 {
      if edited.contains(where: { $0.name == name }) { continue }
      let place = Int.random(in: 0...edited.count, using: &random)
      edited.insert((name, self.value(1, &random)), at: place)
    }
    if Int.random(in: 0..<8, using: &random) == 0 { edited.shuffle(using: &random) }
    return .object(edited)
  }

  /// A value as text, laid out in one of many ways.
  static func text(_ value: JSONValue, _ random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: value.description
    case 1: value.indented + "\n"
    case 2: value.indented.replacing("\n", with: "\r\n")
    default: space(&random) + scattered(value, &random) + space(&random)
    }
  }

  private static func scattered(_ value: JSONValue, _ random: inout SeededGenerator) -> String {
    var items: [String] = []
    var brackets = ("[", "]")
    switch value {
    case .array(let values): items = values.map { scattered($0, &random) }
    case .object(let members):
      brackets = ("{", "}")
      items = members.map {
        $0.name.jsonQuoted + space(&random) + ":" + space(&random) + scattered($0.value, &random)
      }
    default: return value.description
    }
    let spaced = items.map { space(&random) + $0 + space(&random) }
    return brackets.0 + (items.isEmpty ? space(&random) : spaced.joined(separator: ","))
      + brackets.1
  }

  private static func space(_ random: inout SeededGenerator) -> String {
    ["", "", " ", "\n  ", "\t", "\r\n", "\n\n    "].randomElement(using: &random) ?? ""
  }
}
