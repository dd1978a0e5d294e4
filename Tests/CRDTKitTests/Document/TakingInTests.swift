import CRDTKit
import CRDTTestSupport
import Testing

/// What a server says of a record, taken in beside changes that it hasn't heard of.
@Suite("Taking in what an authority says")
struct TakingInTests {
  static let phone = EditingTraps.phone
  static let laptop = EditingTraps.laptop
  static let server = ReplicaID.authority(named: "server")

  /// A document that the phone keeps and fills from a server.
  struct Site {
    var document: Document
    var time: UInt64 = 0
    let own: ReplicaID
    /// The changes that the server has not been told of.
    var pending: [Dot] = []

    init(_ rules: [FieldPath: Schema.FieldRule] = [:], own: ReplicaID = TakingInTests.phone) {
      self.own = own
      document = Document(
        schema: Schema(collections: ["c": Schema.Collection(fields: rules)]))
    }

    /// Takes in the server's record, after the document was read back from bytes; gives the
    /// fields that were written.
    @discardableResult
    mutating func hear(
      _ fields: [String: Document.Value], base: [String: Document.Value]? = nil
    ) throws -> [FieldPath] {
      time += 1
      document = try document.readBack()
      let shown = document.fields(of: "r", in: "c") ?? [:]
      let (pending, own) = (Set(pending), own)
      var changed: [FieldPath] = []
      let writer = TakingInTests.server.delegate(for: own)
      try document.edit(at: DocumentTests.at(time, writer)) { edit in
        changed = try edit.takeIn(
          fields, of: "r", in: "c", besides: own, base: { base?[$0] ?? shown[$0] },
          seeing: { dot in
            dot.replica.principal == TakingInTests.server
              || dot.replica == own && !pending.contains(dot)
          })
      }
      return changed
    }

    /// Changes the record here, before the server is told.
    mutating func change(_ body: (inout Document.Editor) throws -> Void) rethrows {
      time += 1
      let before = document.version[own]
      try document.edit(at: DocumentTests.at(time, own), body)
      for counter in before + 1..<document.version[own] + 1 { pending.append(Dot(own, counter)) }
    }

    /// Changes the record as another replica, which the server hasn't heard of.
    mutating func peer(_ body: (inout Document.Editor) throws -> Void) rethrows {
      time += 1
      try document.edit(at: DocumentTests.at(time, TakingInTests.laptop), body)
    }

    var fields: [String: Document.Value]? { document.fields(of: "r", in: "c") }
  }

  @Test("email changed here, phone changed there: both stay")
  func fieldsAreMergedOneByOne() throws {
    for rule in [Schema.FieldRule.lastWriterWins, .manual, .preferring([Self.server])] {
      var site = Site(["email": rule, "phone": rule])
      try site.hear(["email": "a@old", "phone": "1"])
      site.change { $0.set("email", of: "r", in: "c", to: "a@new") }
      let changed = try site.hear(
        ["email": "a@old", "phone": "2"], base: ["email": "a@old", "phone": "1"])
      #expect(changed == ["phone"])
      #expect(site.fields == ["email": "a@new", "phone": "2"])
      #expect(site.document.conflicts.isEmpty)
    }
  }

  @Test("a field changed on both sides falls to its rule")
  func rulesDecide() throws {
    let rules: [(Schema.FieldRule, shown: Document.Value)] = [
      (.lastWriterWins, "theirs"), (.preferring([Self.server]), "theirs"),
      (.preferringOthers(than: [Self.server]), "ours"), (.manual, "theirs"),
      (.max, "theirs"), (.min, "ours"), (.firstWriterWins, "base"),
    ]
    for (rule, shown) in rules {
      var site = Site(["f": rule])
      try site.hear(["f": "base"])
      site.change { $0.set("f", of: "r", in: "c", to: rule == .min ? "b" : "ours") }
      try site.hear(["f": "theirs"], base: ["f": "base"])
      let expected: Document.Value = rule == .min ? "b" : shown
      #expect(site.fields == ["f": expected], "\(rule)")
      let conflict = site.document.conflict(of: "f", of: "r", in: "c")
      #expect(conflict?.sides.map(\.value) == (rule == .manual ? ["theirs", "ours"] : nil))
      // Heard again, nothing changes.
      let before = site.document.version
      try site.hear(["f": "theirs"], base: ["f": "base"])
      #expect(site.document.version == before, "\(rule)")
      // Once the server has heard of ours and says so, that is the value.
      if rule == .firstWriterWins { continue }
      site.pending = []
      try site.hear(["f": "b"], base: ["f": "base"])
      #expect(rule == .max || site.fields == ["f": "b"], "\(rule)")
      #expect(site.document.conflicts.isEmpty)
    }
  }

  @Test("what the server says later replaces what it said and what it has heard")
  func laterWordsReplace() throws {
    var site = Site(["f": .manual])
    try site.hear(["f": 1])
    site.change { $0.set("f", of: "r", in: "c", to: 2) }
    site.pending = []
    try site.hear(["f": 3])
    #expect(site.document.alternatives(of: "f", of: "r", in: "c").map(\.value) == [3])
    let before = site.document.version
    #expect(try site.hear(["f": 3]) == [])
    #expect(site.document.version == before)
  }

  @Test("counters add the difference and sets the elements, pending changes beside")
  func countersAndSets() throws {
    var site = Site(["likes": .counter, "tags": .set])
    try site.hear(["likes": 5, "tags": ["b", "a"]])
    #expect(site.fields == ["likes": 5, "tags": ["a", "b"]])
    try site.change { edit in
      try edit.increment("likes", of: "r", in: "c", by: 2)
      edit.insert("c", into: "tags", of: "r", in: "c")
      edit.remove("a", from: "tags", of: "r", in: "c")
    }
    let base: [String: Document.Value] = ["likes": 5, "tags": ["a", "b"]]
    #expect(try site.hear(["likes": 5, "tags": ["b", "a"]], base: base) == [])
    #expect(try site.hear(["likes": 8, "tags": ["d", "a"]], base: base) == ["likes", "tags"])
    #expect(site.fields == ["likes": 10, "tags": ["c", "d"]])
    site.pending = []
    #expect(try site.hear(["likes": 10, "tags": ["c", "d"]]) == [])
    try site.hear(["likes": -1, "tags": []])
    #expect(site.fields == ["likes": -1, "tags": []])
    var other = Site(["likes": .counter])
    for number in [5, Int64.max, .min, .max, 0, .min] {
      try other.hear(["likes": .int(number)])
      #expect(other.fields == ["likes": .int(number)])
    }
  }

  @Test("stores that hear the same number do not add it twice")
  func countsHeardTwice() throws {
    var one = Site(["likes": .counter])
    var other = Site(["likes": .counter], own: Self.laptop)
    try one.hear(["likes": 5])
    try other.hear(["likes": 5])
    one.document.merge(other.document)
    #expect(one.fields == ["likes": 5])
    other.document.merge(one.document)
    (one.time, other.time) = (10, 11)
    try one.hear(["likes": 6])
    try other.hear(["likes": 6])
    one.document.merge(other.document)
    #expect(one.fields == ["likes": 6])
  }

  @Test("objects are taken in name by name")
  func objects() throws {
    var site = Site(["stock.*": .counter, "a.log": .set])
    try site.hear(["a": ["x": 1, "y": 1, "z": 1, "log": ["e"]], "stock": ["s": 3]])
    let base: [String: Document.Value] = [
      "a": ["x": 1, "y": 1, "z": 1, "log": ["e"]], "stock": ["s": 3],
    ]
    try site.change { edit in
      edit.set("a.x", of: "r", in: "c", to: 2)
      edit.set("a.w", of: "r", in: "c", to: 2)
      try edit.increment("stock.s", of: "r", in: "c")
    }
    let changed = try site.hear(
      ["a": ["x": 1, "y": 3, "log": ["e", "f"]], "stock": ["s": 5, "t": 1]], base: base)
    #expect(changed == ["a.log", "a.y", "a.z", "stock.s", "stock.t"])
    #expect(
      site.fields == [
        "a": ["x": 2, "y": 3, "w": 2, "log": ["e", "f"]], "stock": ["s": 6, "t": 1],
      ])
    // An object in place of a value, and a value in place of an object.
    site.pending = []
    try site.hear(["a": "text", "stock": ["s": 6, "t": 1]])
    try site.hear(["a": ["x": 9]])
    #expect(site.fields == ["a": ["x": 9], "stock": ["s": 6, "t": 1]])
    // An object that was replaced here is there whole beside what replaced it.
    site.change { $0.set("a", of: "r", in: "c", to: 0) }
    try site.hear(["a": ["x": 9, "y": 1]], base: ["a": ["x": 9]])
    #expect(site.fields?["a"] == ["x": 9, "y": 1])
    #expect(site.document.alternatives(of: "a", of: "r", in: "c").count == 2)
  }

  @Test("a field that isn't mentioned stays, and one without a value is not written")
  func absence() throws {
    var site = Site()
    try site.hear(["a": 1, "b": 2, "none": nil])
    #expect(site.fields == ["a": 1, "b": 2])
    try site.hear(["b": nil])
    #expect(site.fields == ["a": 1, "b": nil])
    try site.hear([:])
    #expect(site.document.contains("r", in: "c"))
  }

  @Test("what a peer wrote becomes the server's own where it says the same")
  func confirmation() throws {
    var site = Site(["f": .manual, "tags": .set])
    try site.hear(["f": 1, "tags": ["a"], "o": ["x": 1]])
    site.peer { edit in
      edit.set("f", of: "r", in: "c", to: 2)
      edit.insert("b", into: "tags", of: "r", in: "c")
      edit.set("o.x", of: "r", in: "c", to: 2)
    }
    var unconfirmed = site
    #expect(try site.hear(["f": 2, "tags": ["a", "b"], "o": ["x": 2]]) == [])
    #expect(site.fields == ["f": 2, "tags": ["a", "b"], "o": ["x": 2]])
    let before = site.document.version
    try site.hear(["f": 2, "tags": ["a", "b"], "o": ["x": 2]])
    #expect(site.document.version == before, "once is enough")
    try site.hear(["f": 3, "tags": ["a"], "o": ["x": 3]])
    #expect(site.fields == ["f": 3, "tags": ["a"], "o": ["x": 3]])
    #expect(site.document.conflicts.isEmpty)
    // Without it, the server's next word is concurrent to the peer's.
    try unconfirmed.hear(["f": 3, "tags": ["a"]])
    #expect(unconfirmed.document.conflicts.count == 1)
    #expect(unconfirmed.fields?["tags"] == ["a", "b"])
  }

  @Test("nothing is confirmed that would make the field show something else")
  func confirmationKeepsWhatIsShown() throws {
    var site = Site(["f": .firstWriterWins])
    var other = site.document
    site.peer { $0.set("f", of: "r", in: "c", to: 1) }
    other.edit(at: DocumentTests.at(5, ReplicaID(7))) { $0.set("f", of: "r", in: "c", to: 2) }
    site.document.merge(other)
    site.time = 10
    #expect(site.fields == ["f": 1])
    try site.hear(["f": 1])
    #expect(site.fields == ["f": 1])
    // What is still on its way to the server stays its writer's.
    var own = Site()
    own.change { $0.set("f", of: "r", in: "c", to: 1) }
    try own.hear(["f": 1])
    let writers = own.document.alternatives(of: "f", of: "r", in: "c").map(\.replica)
    #expect(writers == [Self.phone])
  }

  @Test("a record deleted here stays so if the server hasn't heard and changes nothing")
  func deletedHere() throws {
    var site = Site()
    try site.hear(["f": 1])
    site.change { $0.delete("r", in: "c") }
    try site.hear(["f": 1], base: ["f": 1])
    #expect(site.fields == nil)
    var changed = site
    try changed.hear(["f": 2], base: ["f": 1])
    #expect(changed.fields == ["f": 2], "an update wins over a deletion that hasn't seen it")
    // The server has heard of it, and has the record again.
    site.pending = []
    try site.hear(["f": 1], base: ["f": 1])
    #expect(site.fields == ["f": 1])
  }

  @Test("names that are too long and values nested too deep are refused as a whole")
  func refusals() throws {
    var site = Site()
    let long = String(repeating: "x", count: Document.Value.maximumNameLength + 1)
    var deep: Document.Value = 1
    for _ in 0..<Document.Value.maximumDepth { deep = [deep] }
    for fields: [String: Document.Value] in [
      [long: 1], ["a": 1, "b": [long: 1]], ["a": 1, "b": deep], ["a": 1, "b": ["o": deep]],
    ] {
      #expect(throws: Document.UnstorableValue.self) { try site.hear(fields) }
      #expect(site.document.version == [:])
    }
    guard case .array(let fitting) = deep else { return }
    try site.hear(["b": .array(fitting[0] == 1 ? [] : [1])])
    let tooDeep = Document.UnstorableValue.Reason.nestedTooDeep
    #expect { try deep.requireRoom(at: ["b"]) } throws: { error in
      (error as? Document.UnstorableValue)?.reason == tooDeep
        && "\(error)" == "the field b is nested deeper than 32 levels"
    }
    var document = site.document
    #expect(throws: Document.UnstorableValue.self) {
      try document.edit(at: DocumentTests.at(9, Self.phone)) { edit in
        try edit.takeIn(
          [:], of: long, in: "c", besides: Self.phone, base: { _ in nil }, seeing: { _ in true })
      }
    }
  }
}
