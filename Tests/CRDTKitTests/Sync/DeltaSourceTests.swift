import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Sessions whose deltas are made elsewhere, when there is time.
@Suite("Peer session: sources of deltas")
struct DeltaSourceTests {
  @Test("what can't be had now is sent at a later flush, or when more bytes have come")
  func notNow() {
    for flushes in [true, false] {
      var wire = TextRegisters.wire()
      let expected = wire.left.value.merging(wire.right.value)
      let before = wire.right.value
      var asked = 0
      wire.left.deltaSource = { _, _ in
        asked += 1
        return nil
      }
      wire.sync()
      #expect(asked > 0)
      #expect(wire.left.failure == nil && wire.right.failure == nil)
      #expect(wire.left.value == expected && wire.right.value == before)
      #expect(!wire.left.isSynchronized && wire.right.learnedCount == 0)
      wire.left.deltaSource = { $0.delta(since: $1) }
      if flushes { wire.left.flush() } else { wire.left.receive([]) }
      wire.run()
      #expect(wire.discrepancy(from: expected) == nil)
      #expect(wire.right.learnedCount == 1)
    }
  }

  @Test("a source is asked once a transfer, and not where there is nothing to send")
  func onceATransfer() {
    var wire = ORSet<String>.wire()
    var asked = 0
    let news = wire.left.value.version
    wire.left.deltaSource = { value, version in
      asked += 1
      #expect(!version.contains(news))
      return value.delta(since: version)
    }
    wire.connect()
    wire.run(chunk: 1)
    #expect(wire.discrepancy() == nil && asked == 1)
    wire.left.receive([])
    wire.left.flush()
    wire.run()
    #expect(wire.isQuiet && asked == 1)
  }

  @Test("a source may give what there is piece by piece") func pieces() {
    var (one, other) = Document.apart(shared: 5, left: 0, right: 6)
    var stages: [Document] = []
    for number in 0..<9 {
      one.change(300 + 2 * number, by: ReplicaID(1))
      one.change(301 + 2 * number, by: ReplicaID(3))
      stages.append(one)
    }
    var wire = Wire(
      Peer(one, as: ReplicaID(1), limits: tightLimits),
      Peer(other, as: ReplicaID(2), limits: tightLimits))
    other.merge(one)
    wire.left.deltaSource = { _, version in
      stages.first { !version.contains($0.version) }?.delta(since: version)
    }
    wire.connect()
    wire.run(chunk: 13)
    #expect(wire.right.learnedCount == stages.count)
    // The stages lack what the right has taught, and it has that.
    #expect(wire.discrepancy(from: other) == nil)
  }

  @Test("a delta with nothing new counts as none, and is not sent for ever") func nothingNew() {
    var wire = ORSet<String>.wire()
    wire.left.deltaSource = { value, _ in value.delta(since: value.version) }
    wire.connect()
    let delivered = wire.run(chunk: 10, budget: 20_000)
    #expect(delivered < 20_000 && wire.right.learnedCount == 0)
    wire.left.deltaSource = { value, _ in value.delta(since: [:]) }
    wire.left.flush()
    wire.run()
    #expect(wire.discrepancy() == nil)
  }

  @Test("streams that break while sources have nothing: they converge in the end")
  func brokenStreams() {
    for seed in 0..<16 as Range<UInt64> {
      if let wrong = play(ORSet<String>.self, seed) ?? play(Document.self, seed) {
        Issue.record("seed \(seed): \(wrong)")
        return
      }
    }
  }

  private func play<Value: SyncSample>(_: Value.Type, _ seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    var moods = SeededGenerator(seed: ~seed)
    var wire = Value.wire()
    func source(value: Value, version: VersionVector) -> Value.Delta? {
      Int.random(in: 0..<3, using: &moods) == 0 ? value.delta(since: version) : nil
    }
    wire.left.deltaSource = source
    wire.right.deltaSource = source
    for number in 0..<12 {
      wire.connect()
      wire.run(
        chunk: Int.random(in: 1...90, using: &random),
        budget: Int.random(in: 0...700, using: &random))
      wire.left.edit { $0.change(400 + 2 * number, by: $1) }
      wire.left.flush()
      wire.right.edit { $0.change(401 + 2 * number, by: $1) }
      wire.right.flush()
      wire.run(budget: Int.random(in: 0...300, using: &random))
      if let failure = wire.left.failure ?? wire.right.failure { return "\(failure)" }
      if Bool.random(using: &random) { wire.cut() }
    }
    wire.cut()
    let expected = wire.left.value.merging(wire.right.value)
    wire.connect()
    for _ in 0..<100 where !wire.isConverged {
      wire.run()
      wire.left.flush()
      wire.right.flush()
    }
    return wire.discrepancy(from: expected)
  }

  @Test("a source with a history lists what was removed where the value has forgotten it")
  func history() {
    var (one, other) = TextRegisters.apart(shared: 40, left: 0, right: 2)
    let base = one.version
    var history = RemovalHistory(since: base)
    for number in 0..<50 {
      let delta = one.edit(by: ReplicaID(1)) { edit in
        edit.update("key \(number % 7)") { $0.set("value \(number)") }
      }
      history.append(delta)
    }
    for place in one._table.columns.indices {
      one._table.columns[place].kills = KillLog(floor: one._table.columns[place].seen)
    }
    let gathered = history
    for isUsed in [false, true] {
      var wire = Wire(Peer(one, as: ReplicaID(1)), Peer(other, as: ReplicaID(2)))
      if isUsed {
        wire.left.deltaSource = { value, version in
          value.isLogWhole(since: version)
            ? value.delta(since: version) : value.delta(since: version, history: gathered)
        }
      }
      wire.sync()
      #expect(wire.discrepancy(from: one.merging(other)) == nil)
      // Whoever was told what was removed can tell others.
      #expect(wire.right.value.isLogWhole(since: base) == isUsed)
    }
    other.merge(one)
  }
}
