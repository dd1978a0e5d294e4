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

    /// Takes in the server's record; gives the fields that were written.
    @discardableResult
    mutating func hear(
      _ fields: [String: Document.Value], base: [String: Document.Value]? = nil
    ) throws -> [FieldPath] {
      time += 1
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
    for rule in [Schema.FieldRule.lastWriterWins, .manual, .authority([Self.server])] {
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
      (.lastWriterWins, "theirs"), (.authority([Self.server]), "theirs"),
      (.deferTo(othersThan: [Self.server]), "ours"), (.manual, "theirs"),
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

  @Test("A record that the authority can't see is made with all that it says, and no more")
  func madeAnew() throws {
    let values: [[String: Document.Value]] = [
      ["title": "a", "likes": 3, "tags": ["x"], "place": ["city": "b", "no": 1]],
      ["title": "b", "likes": 0, "tags": [], "place": ["city": "b"]],
      ["title": "b", "likes": 5, "tags": ["x", "y"], "place": ["city": "c", "no": 2]],
    ]
    for acknowledged in values {
      for said in values {
        for own in [0, 2] {
          var site = Site(["likes": .counter, "tags": .set])
          site.change { $0.create("r", in: "c") }
          let (unheard, created) = (site.pending.count, site.pending)
          // What was written later is what the authority has heard of.
          try site.change { edit in
            for (name, value) in acknowledged.sorted(by: { $0.key < $1.key }) {
              if case .int(let number) = value {
                try edit.increment(FieldPath(name), of: "r", in: "c", by: number)
              } else {
                edit.set(FieldPath(name), of: "r", in: "c", to: value)
              }
            }
          }
          site.pending.removeSubrange(unheard...)
          #expect(site.pending == created)
          var base = site.fields ?? [:]
          if own > 0 {
            base["likes"] = base["likes"] ?? 0
            try site.change { edit in
              try edit.increment("likes", of: "r", in: "c", by: Int64(own))
              edit.set("own", of: "r", in: "c", to: "here")
            }
          }
          try site.hear(said, base: base)
          var expected = said
          if own > 0 {
            guard case .int(let likes)? = said["likes"] else { continue }
            (expected["own"], expected["likes"]) = ("here", .int(likes + Int64(own)))
          }
          #expect(site.fields == expected, "\(acknowledged) acknowledged, \(said) said")
        }
      }
    }
  }

  /// A site of whose record the server has heard a field, but not that it was made.
  private func heard(
    of field: Document.Value, _ rule: Schema.FieldRule = .lastWriterWins
  ) -> Site {
    var site = Site(["f": rule])
    site.change { $0.create("r", in: "c") }
    let unheard = site.pending
    site.change { $0.set("f", of: "r", in: "c", to: field) }
    site.pending = unheard
    return site
  }

  @Test("a record made anew over one that was deleted here has all that the server says")
  func madeAnewOverDeletion() throws {
    for deletion in [Schema.DeletionRule.updateWins, .deleteWins] {
      var site = heard(of: "a")
      site.document.schema.collections["c"]?.deletion = deletion
      site.change { $0.delete("r", in: "c") }
      try site.hear(["f": "a"], base: ["f": "a"])
      let fields = site.fields ?? site.document.deletedFields(of: "r", in: "c")
      #expect(fields == ["f": "a"], "\(deletion)")
    }
  }

  @Test("a count that the server heard of after one that it did not keeps both")
  func madeAnewOverCounts() throws {
    for said in [0, 5, 6] as [Int64] {
      for isNumber in [false, true] {
        var site = Site(["f": .counter])
        site.change { $0.create("r", in: "c") }
        var unheard = site.pending
        if isNumber { site.change { $0.set("f", of: "r", in: "c", to: 10) } }
        site.pending = []
        try site.change { try $0.increment("f", of: "r", in: "c", by: 2) }
        unheard += site.pending
        try site.change { try $0.increment("f", of: "r", in: "c", by: 5) }
        site.pending = unheard
        let shown: Int64 = isNumber ? 17 : 7
        #expect(site.fields == ["f": .int(shown)])
        try site.hear(["f": .int(said)], base: ["f": .int(shown - 2)])
        #expect(site.fields == ["f": .int(said + 2)], "\(said) said, a number: \(isNumber)")
      }
    }
  }

  @Test("what the server keeps stands beside what a peer wrote meanwhile, or under its rule")
  func madeAnewBesidePeers() throws {
    let values: [(ours: Document.Value, theirs: Document.Value)] = [
      ("a", "b"), (["a"], ["b"]), (3, 4), (["x": 1], ["x": 2]), (["x": 1], "b"),
    ]
    for (ours, theirs) in values {
      for rule in [Schema.FieldRule.manual, .lastWriterWins] {
        var site = heard(of: ours, rule)
        var peer = Document(schema: site.document.schema)
        peer.edit(at: DocumentTests.at(9, Self.laptop)) { edit in
          edit.set("f", of: "r", in: "c", to: theirs)
        }
        site.document.merge(peer)
        site.time = 10
        try site.hear(["f": ours], base: ["f": ours])
        #expect(site.fields == ["f": ours], "\(ours), \(theirs), \(rule)")
        guard rule == .manual, ours != ["x": 1] || theirs == "b" else { continue }
        let sides = site.document.conflict(of: "f", of: "r", in: "c")?.sides.map(\.value)
        #expect(sides == [ours, theirs])
      }
    }
  }

  @Test("what is in an object of a record made anew is there once, and what waits stays")
  func madeAnewInside() throws {
    let rules: [FieldPath: Schema.FieldRule] = ["o.likes": .counter, "o.f": .manual]
    try checkInside(rules.merging(["o.tags": .set]) { $1 })
    // A set that no rule names.
    try checkInside(rules)
  }

  private func checkInside(_ rules: [FieldPath: Schema.FieldRule]) throws {
    var site = Site(rules)
    site.change { $0.create("r", in: "c") }
    let unheard = site.pending
    try site.change { edit in
      try edit.increment("o.likes", of: "r", in: "c", by: 3)
      edit.set("o.f", of: "r", in: "c", to: "a")
      edit.insert("x", into: "o.tags", of: "r", in: "c")
      edit.insert("y", into: "o.tags", of: "r", in: "c")
    }
    let said = try #require(site.fields)
    site.pending = unheard
    var waiting = site
    try site.hear(said, base: said)
    #expect(site.fields == said)
    try site.hear(["o": ["likes": 4, "f": "a", "tags": ["x"]]])
    #expect(site.fields == ["o": ["likes": 4, "f": "a", "tags": ["x"]]])

    try waiting.change { edit in
      try edit.increment("o.likes", of: "r", in: "c", by: 2)
      edit.set("o.f", of: "r", in: "c", to: "b")
      edit.remove("x", from: "o.tags", of: "r", in: "c")
    }
    let shown = waiting.fields
    try waiting.hear(said, base: said)
    #expect(waiting.fields == shown && waiting.document.conflicts.isEmpty)
  }

  @Test("an array that is read as a set keeps its elements if its record is made anew")
  func madeAnewOverArray() throws {
    var site = heard(of: ["x", "y"])
    site.document.schema.collections["c"]?.fields["f"] = .set
    try site.hear(["f": ["x", "y"]], base: ["f": ["x", "y"]])
    #expect(site.fields == ["f": ["x", "y"]])
    try site.hear(["f": ["y"]])
    #expect(site.fields == ["f": ["y"]])
  }

  @Test("what a peer wrote as well becomes the server's own, also where a record is made anew")
  func madeAnewConfirming() throws {
    for rule in [Schema.FieldRule.manual, .set] {
      let (one, next): (Document.Value, Document.Value) = rule == .set ? (["x"], []) : ("x", "y")
      var site = Site(["f": rule])
      site.change { $0.create("r", in: "c") }
      let unheard = site.pending
      let write = { (edit: inout Document.Editor) -> Void in
        if rule == .set {
          edit.insert("x", into: "f", of: "r", in: "c")
        } else {
          edit.set("f", of: "r", in: "c", to: "x")
        }
      }
      site.change(write)
      site.pending = unheard
      var peer = Document(schema: site.document.schema)
      peer.edit(at: DocumentTests.at(9, Self.laptop), write)
      site.document.merge(peer)
      site.time = 10
      try site.hear(["f": one], base: ["f": one])
      #expect(site.fields == ["f": one])
      try site.hear(["f": next])
      #expect(site.fields == ["f": next] && site.document.conflicts.isEmpty, "\(rule)")
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
    let long = String(repeating: "x", count: Document.Value.nameLengthMax + 1)
    var deep: Document.Value = 1
    for _ in 0..<Document.Value.depthMax { deep = [deep] }
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
