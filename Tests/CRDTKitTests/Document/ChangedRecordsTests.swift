import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Which records a delta or an edit changes.
@Suite("Changed records")
struct ChangedRecordsTests {
  typealias RecordID = Document.RecordID

  /// The live rows of each record.
  private func rows(of document: Document) -> [RecordID: Set<Dot>] {
    var rows: [RecordID: Set<Dot>] = [:]
    document._table.forEachRow { dot, row in rows[row.key.record, default: []].insert(dot) }
    return rows
  }

  /// The records whose rows are not the same in both.
  private func differences(_ one: Document, _ other: Document) -> Set<RecordID> {
    let (left, right) = (rows(of: one), rows(of: other))
    return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }
  }

  /// All that can be read of each record of the samples.
  private func readings(of document: Document) -> [RecordID: String] {
    var readings: [RecordID: String] = [:]
    for sample in DocumentSamples.records {
      let (name, collection) = (sample.name, sample.collection)
      let paths = DocumentSamples.paths.map { FieldPath($0) }
      let fields = document.fields(of: name, in: collection)?.sorted { $0.key < $1.key }
      let alternatives = paths.map { document.alternatives(of: $0, of: name, in: collection) }
      let conflicts = paths.map { document.conflict(of: $0, of: name, in: collection) }
      let deletion = document.deletion(of: name, in: collection)
      readings[RecordID(name, in: collection)] =
        "\(String(describing: fields)) \(alternatives) \(conflicts) \(String(describing: deletion))"
    }
    return readings
  }

  private func readDifferently(_ one: Document, _ other: Document) -> Set<RecordID> {
    let (left, right) = (readings(of: one), readings(of: other))
    return Set(left.keys).filter { left[$0] != right[$0] }
  }

  private struct Stop: Error {}

  @Test("an edit notes the records whose rows it changes, also where it throws")
  func edits() {
    var several = 0
    for seed in 0..<150 as Range<UInt64> {
      var random = SeededGenerator(seed: ~seed)
      let site = DocumentHistory.random(
        count: 3, stepCount: Int.random(in: 0..<25, using: &random), seed: seed)[0]
      let before = site.document
      let conflicts = before.conflicts
      let operations = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        DocumentOperation(purging: seed % 3 == 0, using: &random)
      }
      let throwing = Bool.random(using: &random)
      let stamp = HybridTimestamp(time: 100 << 16, replica: DocumentSamples.replicas[0])
      var after = before
      var noted: Set<RecordID> = []
      _ = try? after.edit(at: stamp, noting: &noted) { edit in
        for operation in operations {
          _ = try? operation.perform(in: &edit, conflicts: conflicts)
        }
        if throwing { throw Stop() }
      }
      let delta = after.delta(since: before.version)
      let changed = differences(before, after)
      let problem: String? =
        if !noted.isSuperset(of: changed) {
          "\(changed) changed"
        } else if operations.count == 1, noted != changed {
          "only \(changed) changed"
        } else if noted.isEmpty != delta.isEmpty {
          "events were made: \(!delta.isEmpty)"
        } else if let told = before.recordsChanged(by: delta), told != changed {
          "the delta tells of \(told), and \(changed) changed"
        } else if !changed.isSuperset(of: readDifferently(before, after)) {
          "\(readDifferently(before, after)) read differently"
        } else {
          nil
        }
      if let problem {
        Issue.record("seed \(seed): \(noted) noted, but \(problem) by \(operations)")
        return
      }
      if changed.count > 1 { several += 1 }
    }
    #expect(several > 15)
  }

  @Test("a delta tells the records whose rows it changes, unless it lists what lives")
  func deltas() throws {
    var told = 0
    var untold = 0
    for seed in 0..<48 as Range<UInt64> {
      var random = SeededGenerator(seed: ~seed)
      let sites = DocumentHistory.random(
        count: 3, stepCount: 30, seed: seed, isForgetful: seed % 4 == 0)
      for _ in 0..<4 {
        let number = Int.random(in: 0..<sites[1].states.count, using: &random)
        let before = sites[0].states[Int.random(in: 0..<sites[0].states.count, using: &random)]
        // One that was made for another, one for the very document, one that was kept.
        let since = sites[2].states[Int.random(in: 0..<sites[2].states.count, using: &random)]
        let state = sites[1].states[number]
        var candidates = [state.delta(since: since.version), state.delta(since: before.version)]
        if number > 0 { candidates.append(sites[1].deltas[number - 1]) }
        for delta in candidates {
          var after = before
          guard (try? after.apply(delta)) != nil else { continue }
          let decoded = try TableDelta<Document>(decoding: delta.encoded())
          let found = before.recordsChanged(by: delta)
          #expect(before.recordsChanged(by: decoded) == found, "seed \(seed)")
          guard let found else {
            untold += 1
            guard case .survivors = delta.changes.removals else {
              Issue.record("seed \(seed): a delta with removals tells nothing")
              return
            }
            continue
          }
          told += 1
          let changed = differences(before, after)
          let isRead = found.isSuperset(of: readDifferently(before, after))
          if found != changed || !isRead {
            Issue.record("seed \(seed): \(found) told, \(changed) changed")
            return
          }
        }
      }
    }
    #expect(told > 120 && untold > 5, "\(told) told, \(untold) not")
  }

  @Test("of a delta that is known, nothing") func known() {
    for isForgetful in [false, true] {
      let site = DocumentHistory.random(
        count: 2, stepCount: 40, seed: 3, isForgetful: isForgetful)[0]
      for state in site.states {
        let delta = site.document.delta(since: state.version)
        #expect(site.document.recordsChanged(by: delta) == [])
      }
    }
  }

  @Test("edits that change nothing note nothing; others add to what was noted") func adding() throws
  {
    var document = Document()
    var noted: Set<RecordID> = []
    func edit(_ time: UInt64, _ body: (inout Document.Editor) -> Void) {
      document.edit(at: DocumentTests.at(time), noting: &noted, body)
    }
    edit(1) { $0.set("a", of: "r", in: "c", to: 1) }
    #expect(noted == [RecordID("r", in: "c")])
    noted = []
    edit(2) { edit in
      edit.create("r", in: "c")
      edit.remove("b", of: "r", in: "c")
      edit.delete("s", in: "c")
      edit.restore("r", in: "c")
      edit.purge(retention: .zero)
    }
    #expect(noted.isEmpty)
    edit(3) { edit in
      edit.create("s", in: "c")
      edit.create("r", in: "c")
      edit.create("t", in: "d")
      edit.remove("a", of: "r", in: "c")
    }
    #expect(noted == [RecordID("s", in: "c"), RecordID("t", in: "d"), RecordID("r", in: "c")])
    noted = [RecordID("x", in: "y")]
    edit(4) { $0.delete("t", in: "d") }
    #expect(noted == [RecordID("x", in: "y"), RecordID("t", in: "d")])
  }

  @Test("names: equal in whatever spelling, in order, as text") func names() {
    let composed = RecordID("\u{E9}", in: "c")
    let decomposed = RecordID("e\u{301}", in: "c")
    #expect(composed == decomposed && Set([composed, decomposed]).count == 1)
    #expect(!(composed < decomposed) && !(decomposed < composed))
    let long = String(repeating: "e\u{301}", count: 600)
    let texts = ["", "a", "e\u{301}", "\u{E9}", "f", "z", "\u{1F600}", long, long + "a"]
    let names = texts.flatMap { one in texts.map { RecordID(one, in: $0) } }
    for left in names {
      for right in names {
        #expect([left < right, left == right, right < left].count { $0 } == 1)
      }
    }
    let sorted = names.shuffled().sorted()
    #expect(sorted == names.sorted())
    for (left, right) in zip(sorted, sorted.dropFirst()) { #expect(!(right < left)) }
    #expect(RecordID("a", in: "d") > RecordID("b", in: "c"))
    #expect("\(RecordID("n1", in: "notes"))" == "n1 in notes")
  }
}
