import CRDTKit
import CRDTStore

/// An oracle that knows every change that was confirmed to a user, and the expected final
/// state of the server.
///
/// It shares nothing with the code under test except the names of operations.
struct OutboxOracle {
  /// The expected counts and tags of notes that are never deleted.
  private(set) var likes: [String: Int64] = [:]
  private(set) var tags: [String: Set<String>] = [:]
  /// The number of changes.
  private(set) var count = 0
  /// Operations that the server has not applied yet, by replica.
  private(set) var waiting: [ReplicaID: Set<Outbox.OperationID>] = [:]
  private var done: Set<Outbox.OperationID> = []
  /// Operations that were dead letters: the server may apply them after later ones.
  private var buried: Set<Outbox.OperationID> = []
  /// The last event of a replica that a record has.
  private var last: [Document.RecordID: [ReplicaID: UInt64]] = [:]

  /// Records a confirmed change.
  mutating func record(_ promise: OutboxPromise) {
    count += 1
    likes[promise.name, default: 0] += Int64(promise.likes)
    if let tag = promise.tag { tags[promise.name, default: []].insert(tag) }
    for operation in promise.operations where !done.contains(operation) {
      waiting[operation.dot.replica, default: []].insert(operation)
    }
  }

  /// Records that nothing was left of an operation, because the server had the changes
  /// already, or had deleted the record.
  mutating func drop(_ operation: Outbox.OperationID) {
    waiting[operation.dot.replica]?.remove(operation)
  }

  mutating func bury(_ operation: Outbox.OperationID) { buried.insert(operation) }

  /// Records an operation that the server has applied.
  ///
  /// Returns the violation, if any.
  mutating func finish(_ operation: Outbox.Envelope) -> String? {
    let (id, replica) = (operation.id, operation.id.dot.replica)
    guard done.insert(id).inserted else { return "\(id) was done twice" }
    waiting[replica]?.remove(id)
    guard !buried.contains(id) else { return nil }
    let before = last[id.record]?[replica] ?? 0
    guard id.dot.counter > before else { return "\(id) was done after event \(before)" }
    last[id.record, default: [:]][replica] = id.dot.counter
    return nil
  }

  /// The violation in a server's final state of a note that is never deleted.
  func problem(of name: String, _ fields: [String: Document.Value]?) -> String? {
    let counted = likes[name] ?? 0
    if fields?["likes"] != .int(counted) {
      return "\(name) counts \(fields?["likes"].map { "\($0)" } ?? "nothing"), not \(counted)"
    }
    let wanted = Document.Value.array((tags[name] ?? []).map { .string($0) }.sorted())
    if fields?["tags"] != wanted {
      return "\(name) has the tags \(fields?["tags"].map { "\($0)" } ?? "none"), not \(wanted)"
    }
    return nil
  }
}
