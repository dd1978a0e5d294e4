import CRDTKit
import CRDTStoreTesting
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("The random editor")
struct RandomEditorTests {
  /// Two replicas that edit apart and meet now and then.
  private struct Pair {
    var documents: [Document]
    var editors: [RandomEditor] = []
    var clocks: [ReplicaClock] = []
    var purged = 0
    var conflictsMax = 0
    var deletedMax = 0

    init(seed: UInt64, operations: Int) throws {
      documents = Array(repeating: Document(schema: SharedDocument.schema), count: 2)
      for place in 0..<2 {
        let generator = SeededGenerator(seed: seed, stream: UInt64(place))
        clocks.append(
          ReplicaClock(
            replica: SharedDocument.replica(place),
            wallMilliseconds: WorldClock.beginning + 1_500 * UInt64(place)))
        editors.append(RandomEditor(generator: generator))
      }
      for round in 1...operations / 40 {
        for place in 0..<2 { try work(in: place) }
        if round.isMultiple(of: 3) { try meet() }
      }
      try meet()
    }

    private mutating func work(in place: Int) throws {
      for _ in 0..<20 { try editors[place].edit(&documents[place], by: &clocks[place]) }
      purged += editors[place].tidy(&documents[place], by: &clocks[place])
    }

    private mutating func meet() throws {
      for (target, source) in [(0, 1), (1, 0)] {
        let news = documents[source].delta(since: documents[target].version)
        try clocks[target].receive(news)
        try documents[target].apply(news)
      }
      conflictsMax = max(conflictsMax, documents[0].conflicts.count)
      let deleted = SharedDocument.collections.map { documents[0].deletedRecords(in: $0).count }
      deletedMax = max(deletedMax, deleted.reduce(0, +))
    }
  }

  @Test("reaches every field and rule, deletes, purges and meets conflicts")
  func coverage() throws {
    let pair = try Pair(seed: 5, operations: 2_000)
    #expect(pair.purged > 0 && pair.conflictsMax > 0 && pair.deletedMax > 0)
    let notes = ["title", "body", "tags", "likes", "best", "address", "scores"]
    let tasks = ["title", "done", "owner", "reviewer", "opened", "due", "steps"]
    let fields = [
      SharedDocument.notes: notes, SharedDocument.tasks: tasks, SharedDocument.drafts: ["text"],
      SharedDocument.ledger: ["visits", "stock", "text"],
    ]
    for (collection, expected) in fields {
      let records = pair.documents[0].records(in: collection)
      let found = records.flatMap {
        pair.documents[0].fields(of: $0, in: collection)?.keys.map(\.self) ?? []
      }
      #expect(Set(found) == Set(expected), "\(collection)")
    }
    for (collection, rules) in SharedDocument.schema.collections {
      for path in rules.fields.keys {
        #expect(fields[collection]?.contains(path.names[0]) == true, "\(collection) \(path)")
      }
    }
  }

  @Test("knows what the ledger must hold, and both replicas sum up the same")
  func summary() throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let pair = try Pair(seed: seed, operations: 800)
      let summaries = pair.documents.map { DocumentSummary(document: $0) }
      #expect(summaries[0].digests == summaries[1].digests, "seed \(seed)")
      #expect(summaries[0].digests.count == DocumentSummary.partNames.count)
      let expected = (0..<2).map { pair.editors[0].added[$0] + pair.editors[1].added[$0] }
      let entries = pair.editors.map(\.entriesMade)
      for summary in summaries {
        #expect(summary.sums == expected, "seed \(seed)")
        #expect(summary.entryCounts(replicas: 3) == entries + [0], "seed \(seed)")
      }
      #expect(entries.allSatisfy { $0 > 0 })
    }
  }

  @Test("has a summary that shows where an entry or a count is missing")
  func summaryDiffers() throws {
    let pair = try Pair(seed: 5, operations: 800)
    let whole = DocumentSummary(document: pair.documents[0])
    var clock = pair.clocks[0]
    let entry = SharedDocument.entry(2, of: SharedDocument.replica(1))
    var document = pair.documents[0]
    document.edit(at: clock.next()) { edit in
      edit.delete(entry, in: SharedDocument.ledger)
      edit.remove("visits", of: SharedDocument.totals, in: SharedDocument.ledger)
    }
    let less = DocumentSummary(document: document)
    #expect(less.entryCounts(replicas: 2)[1] == 1)
    #expect(whole.entryCounts(replicas: 2)[1] > 1)
    #expect(less.sums != whole.sums)
    let differing = zip(whole.digests, less.digests).map { $0 != $1 }
    #expect(differing == [true, false, false, false, true, false])
  }

  @Test("goes on in a history where another left off")
  func script() throws {
    let script = (0..<40).map { HistoryEdit(key: $0 % 7, isRemoval: $0 % 5 == 4) }
    let task = ReplicaTask(workload: .map, keys: 7, script: script)
    func contents(stops: [Int]) throws -> [[FieldPath: Document.Value]] {
      var document = Document(schema: SharedDocument.schema)
      let generator = SeededGenerator(seed: 3)
      var clock = ReplicaClock(
        replica: SharedDocument.replica(0), wallMilliseconds: WorldClock.beginning)
      for (start, end) in zip([0] + stops, stops + [40]) {
        var editor = RandomEditor(generator: generator, task: task, operationsMade: start)
        for _ in start..<end { try editor.edit(&document, by: &clock) }
      }
      return (0..<7).map { document.values(of: "k\($0)") }
    }
    let whole = try contents(stops: [])
    #expect(Set(whole.map(\.count)).count == 2)
    for stop in [1, 13, 39] { #expect(try contents(stops: [stop]) == whole, "\(stop)") }
  }

  @Test("makes changes of one kind, of every key")
  func workloads() throws {
    for (workload, collection) in [
      (.set, SharedDocument.notes), (.counter, SharedDocument.ledger),
      (.map, SharedDocument.drafts), (.notes, Document.fields),
    ] as [(Workload, String)] {
      var document = Document(schema: SharedDocument.schema)
      let generator = SeededGenerator(seed: 5)
      var clock = ReplicaClock(
        replica: SharedDocument.replica(0), wallMilliseconds: WorldClock.beginning)
      var editor = RandomEditor(
        generator: generator, task: ReplicaTask(workload: workload, keys: 9))
      for _ in 0..<300 { try editor.edit(&document, by: &clock) }
      #expect(document.collections == [collection], "\(workload)")
      let sums = DocumentSummary(document: document).sums
      #expect(sums == editor.added && (workload == .counter) == (sums[1] != 0), "\(workload)")
      #expect(!editor.drawsTidying() && editor.operationsMade == 300)
    }
  }
}

extension Document {
  /// The draft's fields, by their paths.
  fileprivate func values(of draft: String) -> [FieldPath: Document.Value] {
    let value = value(of: "text", of: draft, in: SharedDocument.drafts)
    return value.map { ["text": $0] } ?? [:]
  }
}
