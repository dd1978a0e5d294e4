import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

extension StoreRun {
  private struct Refusal: Error {}

  /// Does one operation.
  func perform(_ operation: StoreOperation) throws {
    clock.advance(by: .seconds(1))
    let number = states.count
    switch operation {
    case .edit, .large, .delete, .relaxed: try edit(operation, number)
    // Who is refused has read what was there.
    case .refused: try step("refused", to: state) { try refuse(number) }
    case .apply: try apply(number)
    case .exchange:
      try exchangeWithPeer { $0.set("peer", of: "r1", in: "notes", to: .int(Int64(number))) }
    case .restored: try exchangeWithFuture()
    case .flush: try step("flush", to: state) { try store?.flush() }
    case .compact: try compact()
    case .reopen: try reopen()
    case .schema: try reopen(schema: Self.schema(number))
    case .migrate: try reopen(migrating: true)
    case .kill: try killAndOpen()
    }
  }

  /// One of several sets of rules.
  private static func schema(_ number: Int) -> Schema {
    Schema(collections: ["rules \(number)": Schema.Collection(fields: ["body": .manual])])
  }

  private static func change(
    _ edit: inout Document.Editor, _ operation: StoreOperation, _ number: Int
  ) {
    let record = "r\(number % 2)"
    switch operation {
    case .delete: edit.delete(record, in: "notes")
    case .large:
      let letter = String(UnicodeScalar(UInt8(97 + number % 26)))
      edit.set("body", of: record, in: "notes", to: .string(String(repeating: letter, count: 600)))
    default:
      edit.set("title", of: record, in: "notes", to: .int(Int64(number)))
      edit.set(["number \(number)"], of: "all", in: "notes", to: .int(Int64(number)))
    }
  }

  private func edit(_ operation: StoreOperation, _ number: Int) throws {
    var predicted = state
    predicted.document.edit(at: stamp()) { Self.change(&$0, operation, number) }
    let isRelaxed = operation == .relaxed
    // One that changes nothing waits for what it has read.
    try step(operation.rawValue, to: predicted, isDurable: !isRelaxed) {
      try store?.edit(isRelaxed ? .relaxed : .full) { Self.change(&$0, operation, number) }
    }
  }

  private func refuse(_ number: Int) throws {
    let before = store?.document
    let wasRefused = "what was refused"
    do {
      try store?.edit { edit in
        Self.change(&edit, .edit, number)
        throw Refusal()
      }
      expect(false, "a body threw, and its edit was made")
    } catch is Refusal {}
    var other = Document()
    other.edit(at: stamp(by: ReplicaID(700))) { $0.set("a", of: "b", in: "c", to: 1) }
    let gap = other.edit(at: stamp(1, by: ReplicaID(700))) { $0.set("a", of: "b", in: "c", to: 2) }
    try refuse(gap) { if case .delta(.gap) = $0 { true } else { false } }
    var future = Document()
    let late = HybridTimestamp(
      milliseconds: clock.milliseconds + 400_000_000, replica: ReplicaID(800))
    let ahead = future.edit(at: late) { $0.set("a", of: "b", in: "c", to: 2) }
    try refuse(ahead) { if case .clockDrift = $0 { true } else { false } }
    expect(store?.document == before, wasRefused)
  }

  private func refuse(
    _ delta: TableDelta<Document>, _ isRight: (StoreError) -> Bool
  ) throws {
    do throws(StoreError) {
      _ = try store?.apply(delta)
      expect(false, "a delta was taken in that must not be")
    } catch {
      guard isRight(error) else { throw error }
    }
  }

  private func apply(_ number: Int) throws {
    let delta = editFeed {
      $0.set("feed", of: "r0", in: "notes", to: .int(Int64(number)))
      $0.insert("tag \(number)", into: "tags", of: "r1", in: "notes")
    }
    var predicted = state
    try predicted.document.apply(delta)
    try step("apply", to: predicted) { try store?.apply(delta) }
  }

  /// Meets a peer that knows of an event of this store that the store doesn't.
  private func exchangeWithFuture() throws {
    var peer = visible
    peer.edit(at: stamp()) { $0.set("lost", of: "r0", in: "notes", to: true) }
    var predicted = state
    predicted.document = peer
    predicted.document.schema = visible.schema
    predicted.replica = nextReplica
    var between = state
    between.replica = nextReplica
    try step("exchange with one who knows more", to: predicted, through: [between]) {
      _ = try exchange(with: peer, as: ReplicaID(900))
    }
    noteNewReplica()
  }

  private func compact() throws {
    var predicted = state
    var known = visible.version
    for peer in store?.peers ?? [] {
      for entry in known where peer.version[entry.replica] < entry.counter {
        known[entry.replica] = peer.version[entry.replica]
      }
    }
    // The first stamp was for the look at whether there is anything to purge.
    predicted.document.edit(at: stamp(1)) { $0.purge(retention: .zero, seenByAll: known) }
    try step("compaction", to: predicted) { try store?.compact() }
  }
}
