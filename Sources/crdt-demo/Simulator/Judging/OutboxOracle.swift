import CRDTKit
import CRDTStore

/// Knows every change that a user was told is safe, and so what a server must have come
/// to in the end.
///
/// It shares nothing with the code that it judges but the names of operations.
struct OutboxOracle {
  /// What notes that are never deleted must count, and have as tags.
  private(set) var likes: [String: Int64] = [:]
  private(set) var tags: [String: Set<String>] = [:]
  /// How many changes there are.
  private(set) var count = 0
  /// Operations that the server has yet to do, by the replica that made them.
  private(set) var waiting: [ReplicaID: Set<OperationID>] = [:]
  private var done: Set<OperationID> = []
  /// Operations that were dead letters once: they may be done after later ones.
  private var buried: Set<OperationID> = []
  /// The last event of a replica that a record has.
  private var last: [Document.RecordID: [ReplicaID: UInt64]] = [:]

  /// Takes in a change that is safe.
  mutating func record(_ promise: OutboxPromise) {
    count += 1
    likes[promise.name, default: 0] += Int64(promise.likes)
    if let tag = promise.tag { tags[promise.name, default: []].insert(tag) }
    for operation in promise.operations where !done.contains(operation) {
      waiting[operation.dot.replica, default: []].insert(operation)
    }
  }

  /// Takes in that nothing was left of an operation, since the server had it already, or
  /// had deleted what it was about.
  mutating func drop(_ operation: OperationID) {
    waiting[operation.dot.replica]?.remove(operation)
  }

  mutating func bury(_ operation: OperationID) { buried.insert(operation) }

  /// Takes in what the server has done; says what is wrong with that, if anything.
  mutating func finish(_ operation: OperationEnvelope) -> String? {
    let (id, replica) = (operation.id, operation.id.dot.replica)
    guard done.insert(id).inserted else { return "\(id) was done twice" }
    waiting[replica]?.remove(id)
    guard !buried.contains(id) else { return nil }
    let before = last[id.record]?[replica] ?? 0
    guard id.dot.counter > before else { return "\(id) was done after event \(before)" }
    last[id.record, default: [:]][replica] = id.dot.counter
    return nil
  }

  /// What is wrong with what a server has in the end of a note that is never deleted.
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
