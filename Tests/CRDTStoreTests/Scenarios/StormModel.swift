import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// Knows which value of a field must stand in the end: from when each was written, and what
/// its writer had seen.
///
/// It shares nothing with the outbox but the names of operations.
struct StormModel {
  /// A write here.
  struct Edit {
    var value: Document.Value
    var operation: Outbox.OperationID
    /// Whether it isn't certain whether it stands: a server that says of records alone when
    /// they were changed may have named another field's time.
    var isDoubtful = false
  }

  /// A field of a record that is never deleted.
  struct Field {
    /// What the server has.
    var there: Document.Value?
    /// Whether another client has written that.
    var isForeign = false
    /// The writes here, in order, that the server hasn't done, and that still stand here.
    var here: [Edit] = []
  }

  /// The fields that are judged.
  static let names = ["title", "stage", "nickname"]

  let times: ReferenceServer.Times
  private var fields: [String: [String: Field]] = [:]
  private var effectsSeen = 0

  init(times: ReferenceServer.Times) { self.times = times }
}

extension StormModel {
  /// Takes in a write here over what the field showed.
  mutating func write(
    _ value: Document.Value, to name: String, of record: String, over shown: Document.Value?,
    by operation: Outbox.OperationID?
  ) {
    guard let operation else { return }
    var field = fields[record]?[name] ?? Field()
    // Under "the server wins", who hadn't seen what the server has loses.
    let isSeen = field.there == nil || shown == field.there || shown == field.here.last?.value
    if name == "stage", !isSeen { return }
    // What is told together is told as it was last.
    field.here.removeAll { $0.operation == operation }
    field.here.append(Edit(value: value, operation: operation))
    fields[record, default: [:]][name] = field
  }

  /// Takes in what another client wrote at the server.
  mutating func writeAtServer(_ value: Document.Value, to name: String, of record: String) {
    guard Self.names.contains(name) else { return noteTime(of: record) }
    var field = fields[record]?[name] ?? Field()
    (field.there, field.isForeign) = (value, true)
    switch name {
    case "stage": field.here = []
    // It is the later of both, where the server says so.
    case "title" where times != .none: field.here = []
    default: break
    }
    fields[record, default: [:]][name] = field
    noteTime(of: record)
  }

  /// Notes that a record of the server's got another time.
  private mutating func noteTime(of record: String) {
    guard times == .ofRecords, var field = fields[record]?["title"], field.isForeign else {
      return
    }
    for place in field.here.indices { field.here[place].isDoubtful = true }
    fields[record]?["title"] = field
  }

  /// Takes in what the server has done since it was last looked at.
  mutating func observe(_ effects: [Outbox.Envelope]) {
    for effect in effects.dropFirst(effectsSeen) where effect.record.collection == "notes" {
      let record = effect.record.record
      for change in effect.changes {
        guard case .assign(let value, _) = change.change, let name = change.path.names.first,
          Self.names.contains(name)
        else { continue }
        var field = fields[record]?[name] ?? Field()
        if let place = field.here.lastIndex(where: { $0.operation == effect.id }) {
          // What was written before that doesn't stand any more.
          field.here.removeFirst(place + 1)
          (field.there, field.isForeign) = (value, false)
        } else if field.there == nil {
          field.there = value
        }
        fields[record, default: [:]][name] = field
      }
      noteTime(of: record)
    }
    effectsSeen = effects.count
  }

  /// Takes in that a refused operation is taken back.
  mutating func discard(_ operation: Outbox.Operation) {
    let record = operation.record.record
    for name in Self.names {
      guard var field = fields[record]?[name] else { continue }
      let count = field.here.count
      field.here.removeAll { $0.operation == operation.id }
      // What it was before is shown anew, and an older value of the server's may replace it.
      if field.here.count < count {
        for place in field.here.indices { field.here[place].isDoubtful = true }
      }
      fields[record]?[name] = field
    }
  }

  /// What is wrong with what a record holds in the end; `nil` if nothing is.
  func problem(of record: String, _ held: [String: Document.Value]) -> String? {
    for name in Self.names {
      guard let field = fields[record]?[name] else { continue }
      let last = field.here.last
      var allowed = [last?.value ?? field.there]
      if last?.isDoubtful == true {
        allowed += field.here.map { Optional($0.value) } + [field.there]
      }
      if !allowed.contains(held[name]) {
        return "\(name) of \(record) is \(held[name].map { "\($0)" } ?? "nothing"), not \(allowed)"
      }
    }
    return nil
  }
}
