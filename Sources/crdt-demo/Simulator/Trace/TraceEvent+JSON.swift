import CRDTKit
import Toolkit

extension TraceEvent {
  /// The event as a line of JSON, without its newline.
  ///
  /// Absent members are left out; those there are stand in the order of their
  /// declaration, so that equal events are equal lines.
  var line: String {
    var line = "{\"time\":\(time),\"kind\":\"\(kind.rawValue)\""
    for (name, path) in Self.numberPaths {
      if let number = self[keyPath: path] { line += ",\"\(name)\":\(number)" }
    }
    for (name, path) in Self.textPaths {
      if let text = self[keyPath: path] { line += ",\"\(name)\":\(text.jsonQuoted)" }
    }
    return line + "}"
  }

  /// The names of all members, in their order.
  static let names =
    ["time", "kind"] + numberPaths.map(\.name) + textPaths.map(\.name)

  static let numberPaths: [(name: String, path: any WritableKeyPath<Self, Int?> & Sendable)] = [
    ("replica", \.replica), ("peer", \.peer), ("message", \.message), ("bytes", \.bytes),
    ("events", \.events),
  ]

  static let textPaths: [(name: String, path: any WritableKeyPath<Self, String?> & Sendable)] = [
    ("digest", \.digest), ("value", \.value), ("authors", \.authors), ("detail", \.detail),
  ]

  /// The names of the members in which two events differ.
  func differences(from other: TraceEvent) -> [String] {
    var names: [String] = []
    if time != other.time { names.append("time") }
    if kind != other.kind { names.append("kind") }
    names += Self.numberPaths.filter { self[keyPath: $0.path] != other[keyPath: $0.path] }.map(
      \.name)
    names += Self.textPaths.filter { self[keyPath: $0.path] != other[keyPath: $0.path] }.map(\.name)
    return names
  }

  /// The greatest time, in microseconds: what every reader of JSON holds exactly.
  static let timeMax: UInt64 = 1 << 53 - 1
  /// How many replicas a trace may have.
  static let maximumReplicas = 100_000
  /// The greatest of the other numbers: sums of as many as a trace has stay in range.
  static let numberMax = 1 << 40

  /// Reads a line, without its newline.
  init(parsing line: [UInt8]) throws(JSONFailure) {
    let text = try JSONText(parsing: line)
    guard let members = text.root.members else {
      throw text.failure("a line of a trace is an object", at: text.root.range)
    }
    var time: UInt64?
    var kind: Kind?
    self.init(time: 0, kind: .begin)
    for member in members {
      switch member.name {
      case "time": time = try Self.time(member.value, in: text)
      case "kind": kind = try Self.kind(member.value, in: text)
      default: try take(member, in: text)
      }
    }
    guard let time else { throw text.failure("there is no 'time'", at: text.root.range) }
    guard let kind else { throw text.failure("there is no 'kind'", at: text.root.range) }
    self.time = time
    self.kind = kind
  }

  private mutating func take(_ member: JSONMember, in text: JSONText) throws(JSONFailure) {
    if let path = Self.textPaths.first(where: { $0.name == member.name })?.path {
      guard case .string = member.value.content else {
        throw text.failure("'\(member.name)' must be a string", at: member.value.range)
      }
      self[keyPath: path] = text.string(of: member.value)
    } else if let path = Self.numberPaths.first(where: { $0.name == member.name })?.path {
      let isPlace = member.name == "replica" || member.name == "peer"
      let max = isPlace ? Self.maximumReplicas - 1 : Self.numberMax
      let number = Self.number(member.value, in: text)
      guard let number, number <= max else {
        throw text.failure(
          "'\(member.name)' must be a whole number from 0 to \(max)", at: member.value.range)
      }
      self[keyPath: path] = Int(number)
    } else {
      throw text.failure("an event has no such member", at: member.nameRange)
    }
  }

  private static func time(_ node: JSONNode, in text: JSONText) throws(JSONFailure) -> UInt64 {
    guard let time = number(node, in: text), time <= timeMax else {
      throw text.failure("'time' must be a whole number from 0 to \(timeMax)", at: node.range)
    }
    return time
  }

  private static func number(_ node: JSONNode, in text: JSONText) -> UInt64? {
    guard case .number = node.content else { return nil }
    return UInt64(JSONNumber(text.bytes(of: node)).literal)
  }

  private static func kind(_ node: JSONNode, in text: JSONText) throws(JSONFailure) -> Kind {
    guard case .string = node.content, let kind = Kind(rawValue: text.string(of: node)) else {
      let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw text.failure("'kind' must be one of \(names)", at: node.range)
    }
    return kind
  }
}
