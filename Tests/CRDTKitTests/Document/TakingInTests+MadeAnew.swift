import CRDTKit
import CRDTTestSupport
import Testing

/// Records, and objects in them, that are made for an authority, because it can't see those
/// that are there.
extension TakingInTests {
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
                try edit.increment([name], of: "r", in: "c", by: number)
              } else {
                edit.set([name], of: "r", in: "c", to: value)
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

  @Test("a count in an object that only a peer has made is counted once")
  func countBesidePeersObject() throws {
    for isHeard in [false, true] {
      var site = Site(["o.likes": .counter, "o.p.likes": .counter])
      try site.hear(["z": 1])
      site.peer { $0.set("o.p.x", of: "r", in: "c", to: 1) }
      if isHeard { try site.hear(["z": 2]) }
      try site.change { edit in
        try edit.increment("o.likes", of: "r", in: "c", by: 3)
        try edit.increment("o.p.likes", of: "r", in: "c", by: 30)
      }
      site.pending = []
      try site.change { edit in
        try edit.increment("o.likes", of: "r", in: "c", by: 2)
        try edit.increment("o.p.likes", of: "r", in: "c", by: 20)
      }
      try site.hear(
        ["o": ["likes": 3, "p": ["likes": 31, "x": 1]]],
        base: ["o": ["likes": 3, "p": ["likes": 30]]])
      #expect(site.fields?["o"] == ["likes": 5, "p": ["likes": 51, "x": 1]])
    }
  }

  @Test("elements without their set, and a set that only a peer's object holds, stay")
  func madeAnewOverLooseElements() throws {
    var site = Site()
    site.change { $0.create("r", in: "c") }
    let unheard = site.pending
    site.change { $0.insert("w", into: "f", of: "r", in: "c") }
    var peer = site.document
    site.change { $0.insert("x", into: "f", of: "r", in: "c") }
    site.pending = unheard
    peer.edit(at: DocumentTests.at(9, Self.laptop)) { $0.remove("f", of: "r", in: "c") }
    site.document.merge(peer)
    site.time = 10
    #expect(site.fields == ["f": ["x"]])
    try site.hear(["f": ["x"]], base: ["f": ["x"]])
    #expect(site.fields == ["f": ["x"]])

    var other = Site()
    try other.hear(["z": 1])
    other.peer { $0.set("o.p", of: "r", in: "c", to: 1) }
    other.change { $0.insert("x", into: "o.tags", of: "r", in: "c") }
    other.pending = []
    try other.hear(["o": ["tags": ["x"], "n": 2]], base: ["o": ["tags": ["x"]]])
    #expect(other.fields?["o"] == ["tags": ["x"], "n": 2, "p": 1])
    #expect(other.document.holdsSet("o.tags", of: "r", in: "c"))
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
}
