import CRDTKit
import CRDTStore

extension Benchmark {
  private var updateCount: Int { max(1_000, n / 20) }
  private var recordCount: Int { max(100, n / 100) }

  func addStoreRecordBenchmarks() throws {
    try measure(
      Title("store.update.relaxed", n: n, against: "the field alone", bar: .value(10_000)),
      units: updateCount
    ) { (updates(of: Card.self), fieldEdits()) }
    try measure(
      Title("store.update.listed", n: n, against: "the field alone", bar: .value(10_000)),
      units: updateCount
    ) { (updates(of: ListedCard.self), fieldEdits()) }
    try measure(
      Title(
        "store.observe", n: recordCount, against: "Dictionary.updateValue", bar: .value(100_000)),
      units: 1
    ) { (try observedUpdates(), dictionaryUpdates()) }
  }

  /// A store with cards, relaxed and without snapshots.
  private static func cards<Model: BenchmarkCard>(
    of type: Model.Type = Card.self, _ count: Int
  ) throws -> (StoreFolder, Store) {
    let folder = try StoreFolder()
    let store = try folder.open(for: type)
    try store.write { tx in
      for number in 0..<count { try tx.create(Model(number)) }
    }
    return (folder, store)
  }

  /// Changes one field of a model, as an app does.
  private func updates<Model: BenchmarkCard>(of type: Model.Type) -> Workload {
    let (count, records) = (updateCount, 1_000)
    return Workload(
      countsWaits: true,
      prepare: { try Self.cards(of: type, records) },
      run: { state in
        for number in 0..<count {
          let id = Elements.padded(number * 7_919 % records, 6)
          try state.1.write(.relaxed) { tx in
            try tx.update(Model.self, id) { $0.title = "Changed \(number)" }
          }
        }
      })
  }

  private func fieldEdits() -> Workload {
    let (count, records) = (updateCount, 1_000)
    return Workload(
      countsWaits: true,
      prepare: { try Self.cards(records) },
      run: { state in
        for number in 0..<count {
          let id = Elements.padded(number * 7_919 % records, 6)
          try state.1.edit(.relaxed) {
            $0.set("title", of: id, in: "cards", to: .string("Changed \(number)"))
          }
        }
      })
  }

  private var observedChanges: Int { 200 }

  /// One of many records that are observed changes, from the commit to the delivery.
  private func observedUpdates() throws -> Workload {
    let (count, records) = (observedChanges, recordCount)
    return Workload(
      countsWaits: true,
      repetitions: count,
      prepare: {
        let folder = try StoreFolder()
        let store = try folder.open(for: Card.self)
        _ = try StoreFolder.wait {
          try await store.write { tx in
            for number in 0..<records { try tx.create(Card(number)) }
          }
        }
        let values = store.observe(Card.self)
        let observer = Observer(values.makeAsyncIterator())
        let _: Void = try StoreFolder.wait { await observer.next() }
        return (folder, store, observer)
      },
      run: { state in
        let (store, observer) = (state.1, state.2)
        try StoreFolder.wait {
          for number in 0..<count {
            let id = Elements.padded(number * 7_919 % records, 6)
            try await store.write(.relaxed) { tx in
              try tx.update(Card.self, id) { $0.title = "Changed \(number)" }
            }
            await observer.next()
          }
        }
      })
  }

  private func dictionaryUpdates() -> Workload {
    let (count, records) = (observedChanges, recordCount)
    return Workload(
      repetitions: count,
      prepare: {
        Dictionary(uniqueKeysWithValues: (0..<records).map { (Card($0).id, Card($0)) })
      },
      run: { cards in
        for number in 0..<count { cards[Card(number).id] = Card(number) }
      })
  }

  /// Keeps what it was given last, as a list on a screen does.
  private actor Observer {
    private var iterator: Store.RecordsValues<Card>.AsyncIterator
    private var shown: Store.Records<Card>?

    init(_ iterator: Store.RecordsValues<Card>.AsyncIterator) {
      self.iterator = iterator
    }

    func next() async {
      var iterator = iterator
      shown = await iterator.next(isolation: self)
      self.iterator = iterator
    }
  }
}
