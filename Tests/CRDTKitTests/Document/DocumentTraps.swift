import CRDTKit
import CRDTTestSupport
import Testing

/// Faults that other engines for records were seen to have.
@Suite("Traps of documents")
struct DocumentTraps {
  static let phone = ReplicaID(1)
  static let laptop = ReplicaID(2)
  static let schema = Schema(collections: [
    "c": Schema.Collection(fields: ["likes": .counter, "most": .max])
  ])

  @Test("equal times leave all replicas with the same value") func equalTimes() {
    let values: [Document.Value] = [
      .double(.nan), 1, 1.0, ["x": 1], ["x": 1.0], "a", nil, [["x": 1]],
    ]
    for one in values {
      for other in values {
        var left = Document(schema: Self.schema)
        left.edit(at: DocumentTests.at(5, Self.phone)) { edit in
          edit.set("f", of: "r", in: "c", to: one)
          edit.set("most", of: "r", in: "c", to: one)
        }
        var right = Document(schema: Self.schema)
        right.edit(at: DocumentTests.at(5, Self.laptop)) { edit in
          edit.set("f", of: "r", in: "c", to: other)
          edit.set("most", of: "r", in: "c", to: other)
        }
        let both = left.merging(right)
        let reverse = right.merging(left)
        #expect(both.encoded() == reverse.encoded())
        #expect(both.fields(of: "r", in: "c") == reverse.fields(of: "r", in: "c"))
        let isMerged = if case (.object, .object) = (one, other) { true } else { false }
        let shown = both.value(of: "f", of: "r", in: "c")
        #expect(isMerged || shown == other, "\(one), \(other)")
      }
    }
  }

  @Test("a write made after seeing one from a clock an hour ahead wins") func clockAhead() throws {
    let hour: UInt64 = 3_600_000
    var ahead = Document(schema: Self.schema)
    ahead.edit(at: DocumentTests.at(hour, Self.laptop)) { edit in
      edit.set("f", of: "r", in: "c", to: "ahead")
      edit.set("a.b", of: "r", in: "c", to: "ahead")
      edit.set("gone", of: "r", in: "c", to: "ahead")
    }
    var clock = HybridLogicalClock(replica: Self.phone)
    #expect(throws: HybridLogicalClock.DriftError.self) {
      try clock.receive(DocumentTests.at(hour, Self.laptop), wallMilliseconds: 0)
    }
    var own = Document(schema: Self.schema)
    own.merge(ahead)
    // Even a clock that was not let know of the other.
    own.edit(at: clock.now(wallMilliseconds: 1)) { edit in
      edit.set("f", of: "r", in: "c", to: "later")
      edit.set("a.b", of: "r", in: "c", to: "later")
      edit.remove("gone", of: "r", in: "c")
    }
    for document in [own, own.merging(ahead), ahead.merging(own)] {
      #expect(document.fields(of: "r", in: "c") == ["f": "later", "a": ["b": "later"]])
    }
    for rule in DeletionRuleTests.rules {
      var deleted = own
      deleted.schema = Schema(collections: ["c": Schema.Collection(deletion: rule)])
      deleted.edit(at: clock.now(wallMilliseconds: 2)) { $0.delete("r", in: "c") }
      #expect(!deleted.merging(ahead).contains("r", in: "c"), "\(rule)")
      deleted.edit(at: clock.now(wallMilliseconds: 3)) { $0.set("g", of: "r", in: "c", to: 1) }
      #expect(deleted.merging(ahead).contains("r", in: "c"), "\(rule)")
    }
  }

  @Test("one write from the far future does not make later ones vanish") func farFuture() {
    var document = Document(schema: Self.schema)
    let end = HybridTimestamp(time: .max, replica: ReplicaID(9))
    document.edit(at: end) { edit in
      edit.set("f", of: "r", in: "c", to: "end")
      edit.delete("r", in: "c")
    }
    for time in 1...3 as ClosedRange<UInt64> {
      document.edit(at: DocumentTests.at(time, Self.phone)) { edit in
        edit.set("f", of: "r", in: "c", to: .int(Int64(time)))
      }
      #expect(document.fields(of: "r", in: "c") == ["f": .int(Int64(time))])
    }
  }

  @Test("a counter removed while it is counted shows what the removal had not seen")
  func counterRemovedWhileCounted() throws {
    var one = Document(schema: Self.schema)
    try one.edit(at: DocumentTests.at(1, Self.phone)) { edit in
      try edit.increment("likes", of: "r", in: "c", by: 5)
    }
    var other = one
    try other.edit(at: DocumentTests.at(2, Self.laptop)) { edit in
      try edit.increment("likes", of: "r", in: "c", by: 10)
      try edit.increment("likes", of: "r", in: "c", by: -10)
    }
    one.merge(other)
    var removed = one
    removed.edit(at: DocumentTests.at(3, Self.laptop)) { $0.remove("likes", of: "r", in: "c") }
    try one.edit(at: DocumentTests.at(3, Self.phone)) { edit in
      try edit.increment("likes", of: "r", in: "c")
    }
    for document in [one.merging(removed), removed.merging(one)] {
      #expect(document.fields(of: "r", in: "c") == ["likes": 1])
    }
    // Replaced, removed with its object, or by a model without it, it is the same.
    let ways: [(inout Document.Editor) throws -> Void] = [
      { $0.set("a", of: "r", in: "c", to: ["x": 1]) },
      { $0.set("a", of: "r", in: "c", to: 1) },
      { $0.remove("a", of: "r", in: "c") },
      { try $0.write(["a": [String: Int]()], to: "r", in: "c") },
    ]
    for way in ways {
      let schema = Schema(collections: ["c": Schema.Collection(fields: ["a.n": .counter])])
      var base = Document(schema: schema)
      try base.edit(at: DocumentTests.at(1, Self.phone)) { edit in
        try edit.increment("a.n", of: "r", in: "c", by: 5)
      }
      var counting = base
      try counting.edit(at: DocumentTests.at(2, Self.laptop)) { edit in
        try edit.increment("a.n", of: "r", in: "c")
      }
      try base.edit(at: DocumentTests.at(2, Self.phone), way)
      for _ in 0..<2 { try base.edit(at: DocumentTests.at(3, Self.phone), way) }
      base.merge(counting)
      if case .object? = base.value(of: "a", of: "r", in: "c") {
        #expect(base.value(of: "a.n", of: "r", in: "c") == 1)
      } else {
        #expect(base.value(of: "a.n", of: "r", in: "c") == nil)
      }
    }
  }

  @Test("a counter that an older copy replaces by a number counts on from there")
  func counterReplacedWhileCounted() throws {
    for (number, sum) in [(20, 21), (0, 1)] as [(Int64, Int64)] {
      var one = Document(schema: Self.schema)
      try one.edit(at: DocumentTests.at(1, Self.phone)) { edit in
        try edit.increment("likes", of: "r", in: "c", by: 5)
      }
      var older = Document()
      older.merge(one)
      older.edit(at: DocumentTests.at(2, Self.laptop)) { edit in
        edit.set("likes", of: "r", in: "c", to: .int(number))
      }
      try one.edit(at: DocumentTests.at(3, Self.phone)) { edit in
        try edit.increment("likes", of: "r", in: "c")
      }
      one.merge(older)
      #expect(one.fields(of: "r", in: "c") == ["likes": .int(sum)])
      try one.edit(at: DocumentTests.at(4, Self.phone)) { edit in
        try edit.increment("likes", of: "r", in: "c", by: 2)
      }
      #expect(one.fields(of: "r", in: "c") == ["likes": .int(sum + 2)])
    }
  }

  @Test("counters stop at their bounds, here and merged, and say so") func bounds() throws {
    var one = Document(schema: Self.schema)
    one.edit(at: DocumentTests.at(1, Self.phone)) { edit in
      edit.set("likes", of: "r", in: "c", to: .int(.max))
    }
    #expect(throws: CounterOverflow.self) {
      try one.edit(at: DocumentTests.at(2, Self.phone)) { edit in
        try edit.increment("likes", of: "r", in: "c")
      }
    }
    #expect(one.value(of: "likes", of: "r", in: "c") == .int(.max))
    for number in [Int64.min, 0] {
      one.edit(at: DocumentTests.at(3, Self.phone)) { edit in
        edit.set("likes", of: "r", in: "c", to: .int(number))
      }
      #expect(one.value(of: "likes", of: "r", in: "c") == .int(number))
    }
  }

  @Test("a plain number is where a counter goes on from, up to its bounds") func plainBase() throws
  {
    for (base, amount, isKept) in [
      (Int64.max, 1, false), (.max, -1, true), (.min, -1, false), (.min, 1, true), (.max, 0, true),
    ] as [(Int64, Int64, Bool)] {
      var document = Document()
      document.edit(at: DocumentTests.at(1, Self.phone)) { edit in
        edit.set("likes", of: "r", in: "c", to: .int(base))
      }
      document.schema = Self.schema
      var isCounted = true
      document.edit(at: DocumentTests.at(2, Self.laptop)) { edit in
        do {
          try edit.increment("likes", of: "r", in: "c", by: amount)
        } catch {
          isCounted = false
        }
      }
      #expect(isCounted == isKept, "\(base) and \(amount)")
      let sum = isKept ? base + amount : base
      #expect(document.value(of: "likes", of: "r", in: "c") == .int(sum))
      document.edit(at: DocumentTests.at(3, Self.laptop)) { edit in
        edit.set("likes", of: "r", in: "c", to: .int(base == .max ? .min : .max))
      }
      #expect(
        document.value(of: "likes", of: "r", in: "c") == .int(base == .max ? .min : .max))
    }
  }

  @Test("a gap is refused, whatever was lost, and nothing changes") func gap() throws {
    var sender = Document(schema: Self.schema)
    var deltas: [TableDelta<Document>] = []
    for time in 1...4 as ClosedRange<UInt64> {
      deltas.append(
        sender.edit(at: DocumentTests.at(time, Self.phone)) { edit in
          edit.set(["f\(time)"], of: "r", in: "c", to: .int(Int64(time)))
          if time == 2 { edit.remove("f1", of: "r", in: "c") }
        })
    }
    var taker = Document(schema: Self.schema)
    try taker.apply(deltas[0])
    for late in [deltas[2], deltas[3]] {
      let before = taker.encoded()
      #expect(throws: DeltaError.self) { try taker.apply(decoding: late.encoded()) }
      #expect(taker.encoded() == before)
    }
    for delta in deltas { try taker.apply(decoding: delta.encoded()) }
    #expect(taker == sender)
    #expect(taker.fields(of: "r", in: "c") == ["f2": 2, "f3": 3, "f4": 4])
  }

  @Test("a value that was deleted is not in the bytes any more") func deletedBytes() {
    let secret = "a secret of twenty-two"
    var document = Document(schema: Self.schema)
    document.edit(at: DocumentTests.at(1, Self.phone)) { edit in
      edit.set("f", of: "r", in: "c", to: .string(secret))
      edit.set("g", of: "gone", in: "c", to: .string(secret))
    }
    document.edit(at: DocumentTests.at(2, Self.phone)) { edit in
      edit.remove("f", of: "r", in: "c")
      edit.delete("gone", in: "c")
    }
    document.edit(at: DocumentTests.at(9, Self.phone)) { $0.purge(retention: .zero) }
    let text = String(decoding: document.encoded(), as: UTF8.self)
    #expect(!text.contains(secret))
    #expect(!text.contains("gone"))
  }
}
