package import CRDTKit
package import CRDTStore
package import CRDTStoreTesting

/// Random operations of an outbox and what servers answer about them.
package enum OutboxSamples {
  package static let names = ["n1", "é", "a/b", "%2F", "", "x.y\\z", "$bytes"]

  package static func value(
    using random: inout SeededGenerator, depth: Int = 2
  ) -> Document.Value {
    switch Int.random(in: 0..<(depth > 0 ? 11 : 9), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .int(.random(in: .min ... .max, using: &random))
    case 3: return .double([0.5, -1e300, .infinity, .nan].randomElement(using: &random) ?? 0)
    case 4: return .string(names.randomElement(using: &random) ?? "")
    case 5: return .bytes((0..<Int.random(in: 0...4, using: &random)).map { UInt8($0) &* 77 })
    case 6: return .timestamp([0, 5.5, -.infinity].randomElement(using: &random) ?? 0)
    case 7: return .object(["$bytes": .string(["aGk=", "?"].randomElement(using: &random) ?? "")])
    case 8: return .object(["$timestamp": .int(5)])
    case 9:
      return .array(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          value(using: &random, depth: depth - 1)
        })
    default:
      var fields: [String: Document.Value] = [:]
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let name = (names + ["$object", "$double"]).randomElement(using: &random) ?? ""
        fields[name] = value(using: &random, depth: depth - 1)
      }
      return .object(fields)
    }
  }

  package static func changes(using random: inout SeededGenerator) -> [Document.FieldChange] {
    var changes: [Document.FieldChange] = []
    for name in names.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)) {
      let path: FieldPath = Bool.random(using: &random) ? [name] : [name, "below"]
      let before = Bool.random(using: &random) ? value(using: &random) : nil
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        changes.append(Document.FieldChange(path, .assign(value(using: &random), before: before)))
      case 2: changes.append(Document.FieldChange(path, .remove(before: before)))
      case 3:
        changes.append(Document.FieldChange(path, .increment(.random(in: -9...9, using: &random))))
      default:
        changes.append(Document.FieldChange(path, .take([value(using: &random)])))
        changes.append(Document.FieldChange(path, .insert([value(using: &random), 1])))
      }
    }
    return changes
  }

  package static func id(using random: inout SeededGenerator) -> Outbox.OperationID {
    Outbox.OperationID(
      dot: Dot(.random(using: &random), .random(in: 1..<1 << 48, using: &random)),
      record: Document.RecordID(
        names.randomElement(using: &random) ?? "", in: names.randomElement(using: &random) ?? ""))
  }

  package static func operation(using random: inout SeededGenerator) -> Outbox.Operation {
    let id = id(using: &random)
    var operation = Outbox.Operation(
      id: id, dots: id.dot.counter...min(id.dot.counter + 5, 1 << 48 - 1),
      kind: Outbox.OperationKind.allCases.randomElement(using: &random) ?? .update,
      createdMilliseconds: .random(in: 0...(1 << 50), using: &random),
      changes: changes(using: &random),
      baseVersion: Bool.random(using: &random) ? "v\(Int.random(in: 1...99, using: &random))" : nil)
    operation.attempts = .random(in: 0...5, using: &random)
    operation.nextAttemptMilliseconds = .random(in: 0...(1 << 50), using: &random)
    if Bool.random(using: &random) {
      operation.state = .dead(
        Outbox.Failure(
          Outbox.Failure.Cause.allCases.randomElement(using: &random) ?? .rejected,
          message: "no",
          issues: [Outbox.FieldIssue("a.b", "too long"), Outbox.FieldIssue(["x.y"], "é")]))
    }
    return operation
  }

  package static func record(using random: inout SeededGenerator) -> Outbox.ServerRecord {
    var fields: [String: Document.Value] = [:]
    for name in names.prefix(Int.random(in: 0...4, using: &random)) {
      fields[name] = value(using: &random)
    }
    return Outbox.ServerRecord(
      record: id(using: &random).record, version: "\(Int.random(in: 0...9, using: &random))",
      fields: fields, isDeleted: .random(using: &random),
      modifiedMilliseconds: Bool.random(using: &random) ? 1_700_000_000_000 : nil)
  }

  package static func outcome(using random: inout SeededGenerator) -> Outbox.Outcome {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .accepted(serverVersion: nil)
    case 1: .accepted(serverVersion: "7")
    case 2: .rejected(message: "no", issues: [Outbox.FieldIssue("a.b", "too long")])
    case 3: .conflict(server: record(using: &random))
    default: .retry(after: Bool.random(using: &random) ? .milliseconds(1_500) : nil, message: "x")
    }
  }
}
