import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Every rule of fields for two and three concurrent writers, in every order of
/// merging, against the words of the rule.
@Suite("Truth tables of field rules")
struct FieldRuleTests {
  /// Values of all kinds in their order, the least first.
  static let values: [Document.Value] = [
    nil, false, .double(-.infinity), -1, -0.0, 1, 1.0, 2, .double(.nan), .timestamp(0), "a", "b",
    .bytes([0]), [], [1], ["x": 1],
  ]

  struct Write {
    var value: Int
    var time: UInt64
    var replica: UInt64
  }

  static let rules: [Schema.FieldRule] = [
    .lastWriterWins, .firstWriterWins, .max, .min, .manual, .preferring([ReplicaID(2)]),
    .preferring([]), .preferringOthers(than: [ReplicaID(3)]),
    .preferringOthers(than: [ReplicaID(1), ReplicaID(2), ReplicaID(3)]), .counter, .set,
    .merged,
  ]

  /// The write that a rule shows, by its words.
  private func shown(under rule: Schema.FieldRule, of writes: [Write]) -> Write? {
    func latest(_ writes: [Write]) -> Write? {
      writes.max { ($0.time, $0.replica) < ($1.time, $1.replica) }
    }
    func preferred(_ isPreferred: (Write) -> Bool) -> Write? {
      latest(writes.filter(isPreferred)) ?? latest(writes)
    }
    switch rule {
    case .lastWriterWins, .manual, .counter, .set, .text, .list, .merged: return latest(writes)
    case .firstWriterWins:
      return writes.min { ($0.time, $0.replica) < ($1.time, $1.replica) }
    case .max:
      let greatest = writes.map(\.value).max()
      return latest(writes.filter { $0.value == greatest })
    case .min:
      let least = writes.map(\.value).min()
      return latest(writes.filter { $0.value == least })
    case .preferring(let replicas):
      return preferred { replicas.contains(ReplicaID($0.replica)) }
    case .preferringOthers(let replicas):
      return preferred { !replicas.contains(ReplicaID($0.replica)) }
    }
  }

  private func document(under rule: Schema.FieldRule, _ write: Write) -> Document {
    var document = Document(
      schema: Schema(collections: ["c": Schema.Collection(fields: ["f": rule])]))
    // Plain values and objects, as a copy writes that knows of no counters or sets.
    let own = document.schema
    if rule == .counter || rule == .set { document.schema = Schema() }
    document.edit(at: DocumentTests.at(write.time, ReplicaID(write.replica))) { edit in
      edit.set("f", of: "r", in: "c", to: Self.values[write.value])
    }
    document.schema = own
    return document
  }

  private func check(under rule: Schema.FieldRule, _ writes: [Write]) {
    let documents = writes.map { document(under: rule, $0) }
    let winner = shown(under: rule, of: writes)
    let expected = winner.map { Self.values[$0.value] }
    let orders =
      writes.count == 2
      ? [[0, 1], [1, 0]] : [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    var first: Document?
    for order in orders {
      var document = Document(schema: documents[0].schema)
      for place in order { document.merge(documents[place]) }
      if let first {
        let read = try? document.readBack()
        #expect(read == first, "\(rule): \(writes), read back")
        document = read ?? document
      }
      let sides = document.alternatives(of: "f", of: "r", in: "c")
      let isRight =
        document.value(of: "f", of: "r", in: "c") == expected
        && document.fields(of: "r", in: "c") == ["f": expected ?? nil]
        && sides.count == writes.count && sides.first?.value == expected
        && sides.first?.replica.rawValue == winner?.replica
        && document == first ?? document
      #expect(isRight, "\(rule): \(writes) in the order \(order)")
      first = document
    }
    guard let first else { return }
    checkConflict(of: first, under: rule, writes)
    checkLaterWrites(to: first, under: rule, over: winner)
  }

  private func checkConflict(of document: Document, under rule: Schema.FieldRule, _ writes: [Write])
  {
    let differs = Set(writes.map(\.value)).count > 1
    let conflict = document.conflict(of: "f", of: "r", in: "c")
    #expect((conflict != nil) == (rule == .manual && differs), "\(rule): \(writes)")
    #expect(document.conflicts == [conflict].compactMap { $0 })
    guard let conflict else { return }
    let order = writes.sorted { ($0.time, $0.replica) > ($1.time, $1.replica) }
    #expect(conflict.sides.map(\.value) == order.map { Self.values[$0.value] }, "\(writes)")
  }

  /// Whoever has seen the others writes in place of them, whatever the stamps say;
  /// but what would not win is not written where the rule forbids it.
  private func checkLaterWrites(
    to document: Document, under rule: Schema.FieldRule, over winner: Write?
  ) {
    guard let winner else { return }
    for value in [0, 7, 11] {
      var later = document
      // A clock that is behind all others, and a replica of no importance.
      let stamp = DocumentTests.at(0, ReplicaID(0))
      let delta = later.edit(at: stamp) { edit in
        edit.set("f", of: "r", in: "c", to: Self.values[value])
      }
      let isWritten =
        switch rule {
        case .firstWriterWins: false
        case .max: value > winner.value
        case .min: value < winner.value
        // A counter that shows the number already needn't count.
        case .counter: value != 7 || winner.value != 7
        default: true
        }
      let expected = isWritten ? value : winner.value
      #expect(
        later.value(of: "f", of: "r", in: "c") == Self.values[expected],
        "\(rule): \(value) over \(winner)")
      #expect(delta.isEmpty == !isWritten, "\(rule): \(value) over \(winner)")
      let isAlone = later.alternatives(of: "f", of: "r", in: "c").count == 1
      #expect(!isWritten || isAlone, "\(rule): \(value) over \(winner)")
      #expect(!isWritten || later.conflicts.isEmpty)
    }
  }

  @Test("two writers") func two() {
    let times: [(UInt64, UInt64)] = [(1, 1), (1, 2), (2, 1)]
    for rule in Self.rules {
      for one in Self.values.indices {
        for other in Self.values.indices where isLongRun || (one + other) % 3 == 0 || one == other {
          let (time, otherTime) = times[(one + 2 * other) % 3]
          check(
            under: rule,
            [
              Write(value: one, time: time, replica: 2),
              Write(value: other, time: otherTime, replica: 3),
            ])
        }
      }
    }
  }

  @Test("three writers") func three() {
    var random = SeededGenerator(seed: 3)
    for rule in Self.rules {
      for _ in 0..<(isLongRun ? 5_000 : 25) {
        check(
          under: rule,
          (1...3 as ClosedRange<UInt64>).map { replica in
            Write(
              value: Int.random(in: Self.values.indices, using: &random),
              time: UInt64.random(in: 1...2, using: &random), replica: replica)
          })
      }
    }
  }

  @Test("values stand in one order, whatever their kind") func order() {
    for (place, value) in Self.values.enumerated() {
      for (other, otherValue) in Self.values.enumerated() {
        #expect((value < otherValue) == (place < other), "\(value), \(otherValue)")
        #expect((value == otherValue) == (place == other), "\(value), \(otherValue)")
      }
    }
  }

  @Test("numbers stand in the order of what they are worth, at every edge") func numbers() {
    let ordered: [Document.Value] = [
      .double(-.infinity), .double(-0x1p64), .int(.min), .double(-0x1p63), .int(.min + 1),
      .double(-0x1p53), -2, -1.5, -1, -0.5, 0, -0.0, 0.0, .double(.leastNonzeroMagnitude), 0.5, 1,
      1.0, 1.5, 2, .int(1 << 53), .double(0x1p53), .int(1 << 53 + 1), .int(.max), .double(0x1p63),
      .double(.infinity), .double(.nan), .double(Double(nan: 1, signaling: false)),
    ]
    for (place, value) in ordered.enumerated() {
      for (other, otherValue) in ordered.enumerated() {
        #expect((value < otherValue) == (place < other), "\(value), \(otherValue)")
      }
    }
  }

  @Test("counters add up and sets unite what two and three writers do") func countersAndSets()
    throws
  {
    let schema = Schema(collections: [
      "c": Schema.Collection(fields: ["count": .counter, "set": .set])
    ])
    var base = Document(schema: schema)
    try base.edit(at: DocumentTests.at(1, ReplicaID(9))) { edit in
      try edit.increment("count", of: "r", in: "c", by: 10)
      edit.set("set", of: "r", in: "c", to: ["old", "gone"])
    }
    let copies = try (1...3 as ClosedRange<UInt64>).map { replica in
      var copy = base
      try copy.edit(at: DocumentTests.at(1, ReplicaID(replica))) { edit in
        try edit.increment("count", of: "r", in: "c", by: Int64(replica))
        edit.insert(.int(Int64(replica)), into: "set", of: "r", in: "c")
        edit.remove("gone", from: "set", of: "r", in: "c")
        // The third renews what the others leave or remove.
        if replica == 3 { edit.insert("gone", into: "set", of: "r", in: "c") }
      }
      return copy
    }
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var document = Document(schema: schema)
      for place in order { document.merge(copies[place]) }
      #expect(
        document.fields(of: "r", in: "c") == ["count": 16, "set": [1, 2, 3, "gone", "old"]])
    }
    // To set a counter is to count by the difference, so concurrent settings add up.
    var one = base
    var other = base
    one.edit(at: DocumentTests.at(2, ReplicaID(1))) { $0.set("count", of: "r", in: "c", to: 15) }
    other.edit(at: DocumentTests.at(2, ReplicaID(2))) { $0.set("count", of: "r", in: "c", to: 4) }
    #expect(one.merging(other).value(of: "count", of: "r", in: "c") == 9)
  }
}
