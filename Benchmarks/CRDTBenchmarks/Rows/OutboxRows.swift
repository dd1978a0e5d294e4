import CRDTKit
import CRDTStore
import CRDTStoreTesting

extension Benchmark {
  private var queuedCount: Int { max(1_000, n / 20) }
  private var drainedCount: Int { max(1_000, n / 10) }

  func addOutboxBenchmarks() throws {
    try measure(
      Title("outbox.enqueue", n: n, against: "the write alone", bar: .ratio(1.3), pace: .slow),
      units: queuedCount
    ) { (updates(of: QueuedCard.self), updates(of: Card.self)) }
    try measure(
      Title(
        "outbox.drain", n: drainedCount, against: "OutboxMachine alone", bar: .value(5_000),
        pace: .slow),
      units: drainedCount
    ) { (drains(), machineDrains()) }
  }

  /// A store with cards, all of which the server has.
  private static func cards<Model: BenchmarkCard>(
    _ type: Model.Type, _ count: Int
  ) throws -> (StoreFolder, Store) {
    let folder = try StoreFolder()
    let store = try folder.open(for: type)
    try StoreFolder.wait {
      for start in stride(from: 0, to: count, by: 1_000) {
        try await store.write(.relaxed) { tx in
          for number in start..<min(start + 1_000, count) { try tx.create(Model(number)) }
        }
      }
      _ = await store.outbox(over: AcceptingTransport()).drain()
      try await store.flush()
    }
    return (folder, store)
  }

  /// Changes one field of each record, as an app does.
  private func updates<Model: BenchmarkCard>(of type: Model.Type) -> Workload {
    let count = queuedCount
    return Workload(
      prepare: { try Self.cards(type, count) },
      run: { state in
        let store = state.1
        try StoreFolder.wait {
          for number in 0..<count {
            let id = Elements.padded(number * 7_919 % count, 6)
            try await store.write(.relaxed) { tx in
              try tx.update(Model.self, id) { $0.title = "Changed \(number)" }
            }
          }
        }
      },
      outcome: { $0.1.document.records(in: Model.collection).count })
  }

  /// Sends the changes of one field of each record.
  private func drains() -> Workload {
    let count = drainedCount
    return Workload(
      countsWaits: true,
      prepare: {
        let (folder, store) = try Self.cards(QueuedCard.self, count)
        try StoreFolder.wait {
          for number in 0..<count {
            try await store.write(.relaxed) { tx in
              try tx.update(QueuedCard.self, Elements.padded(number, 6)) { $0.title = "Changed" }
            }
          }
          try await store.flush()
        }
        return (folder, store, Outbox.Report())
      },
      run: { state in
        let store = state.1
        state.2 = try StoreFolder.wait { await store.outbox(over: AcceptingTransport()).drain() }
      },
      outcome: { $0.2.accepted })
  }

  /// Decides the same, without a store.
  private func machineDrains() -> Workload {
    let count = drainedCount
    return Workload(
      prepare: {
        var machine = OutboxMachine()
        let replica = ReplicaID(1)
        for number in 0..<count {
          let dot = Dot(replica, UInt64(number) + 1)
          let record = Document.RecordID(Elements.padded(number, 6), in: QueuedCard.collection)
          let change = Document.FieldChange("title", .assign("Changed", before: "Card"))
          _ = try machine.enqueue(
            Outbox.Operation(
              id: Outbox.OperationID(dot: dot, record: record), dots: dot.counter...dot.counter,
              kind: .update, createdMilliseconds: 0, changes: [change]))
        }
        return (machine: machine, accepted: 0)
      },
      run: { state in
        var random = SeededGenerator(seed: 1)
        while let batch = state.machine.nextBatch(at: 0) {
          let answers = AcceptingTransport.answers(to: batch.envelopes)
          _ = state.machine.received(answers, for: batch.number, at: 0, using: &random)
          state.accepted += answers.count
        }
      },
      outcome: { $0.accepted })
  }
}

/// A card, whether a server is told of it or not.
protocol BenchmarkCard: Replicated where ID == String {
  var title: String { get set }
  init(_ number: Int)
}

extension Card: BenchmarkCard {}
extension QueuedCard: BenchmarkCard {}

/// A server in this process that accepts all at once.
private struct AcceptingTransport: Outbox.Transport {
  func push(
    _ operations: [Outbox.Envelope]
  ) async throws(RemoteError) -> [Outbox.Answer] {
    Self.answers(to: operations)
  }

  func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
    Outbox.PullPage(records: [], cursor: nil, hasMore: false)
  }

  static func answers(to operations: [Outbox.Envelope]) -> [Outbox.Answer] {
    operations.map { Outbox.Answer($0.id, .accepted(serverVersion: "1")) }
  }
}
