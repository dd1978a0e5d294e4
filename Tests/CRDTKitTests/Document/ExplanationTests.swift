import CRDTKit
import CRDTTestSupport
import Testing

@Suite("Why a field reads as it does")
struct ExplanationTests {
  static let phone = EditingTraps.phone
  static let laptop = EditingTraps.laptop

  private func explain(_ name: String, _ document: Document) throws -> Document.Explanation {
    try #require(document.explain([name], of: "r", in: "c"))
  }

  @Test("a value: winner, losers, rule")
  func values() throws {
    var one = EditingTraps.make { $0.set("title", of: "r", in: "c", to: "a") }
    #expect(
      try explain("title", one).description == """
        title of r in c reads "a".
        "a" was written by 0000000000000002 at 1 ms.
        The rule is lastWriterWins; nothing was written concurrently.
        """)
    var other = one
    one.phone(2) { $0.set("title", of: "r", in: "c", to: "b") }
    other.laptop(3) { $0.set("title", of: "r", in: "c", to: "c") }
    one.merge(other)
    one.schema.collections["c"]?.fields["title"] = .preferring([Self.phone])
    let explanation = try explain("title", one)
    #expect(explanation.value == "b")
    #expect(explanation.winner == .init("b", at: DocumentTests.at(2, Self.phone)))
    #expect(explanation.losers == [.init("c", at: DocumentTests.at(3, Self.laptop))])
    #expect(
      explanation.description == """
        title of r in c reads "b".
        "b" was written by 0000000000000002 at 2 ms.
        Written concurrently, and not replaced since:
        - "c" by 0000000000000001 at 3 ms
        The rule is preferring: one by 0000000000000002 is preferred, then the one with the \
        latest stamp.
        """)
    #expect(one.explain("none", of: "r", in: "c") == nil)
    #expect(one.explain("title", of: "s", in: "c") == nil)
  }

  @Test("a conflict: both sides, and what they were written in place of")
  func conflicts() throws {
    var one = EditingTraps.make { $0.set("body", of: "r", in: "c", to: "a") }
    var other = one
    one.phone(2) { $0.set("body", of: "r", in: "c", to: "b") }
    let server = ReplicaID.authority(named: "server")
    other.edit(at: DocumentTests.at(3, server.delegate(for: Self.laptop))) { edit in
      edit.set("body", of: "r", in: "c", to: "c")
    }
    one.merge(other)
    let explanation = try explain("body", one)
    #expect(explanation.isInConflict)
    #expect(explanation.ancestor == .init("a", at: DocumentTests.at(1, Self.phone)))
    #expect(
      explanation.description == """
        body of r in c reads "c".
        "c" was written by ff29580000000001 for the authority ff29580000000000 at 3 ms.
        Written concurrently, and not replaced since:
        - "b" by 0000000000000002 at 2 ms
        The rule is manual: someone has to choose; meanwhile the one with the latest stamp \
        is shown.
        It was written in place of "a", written by 0000000000000002 at 1 ms.
        """)
  }

  @Test("a counter: what each replica counted; a set: who inserted what")
  func countersAndSets() throws {
    var one = EditingTraps.make { edit in
      edit.set("likes", of: "r", in: "c", to: 4)
      edit.set("tags", of: "r", in: "c", to: ["x", "y"])
    }
    try one.laptop(2) { edit in
      try edit.increment("likes", of: "r", in: "c", by: -6)
      edit.insert("z", into: "tags", of: "r", in: "c")
    }
    let likes = try explain("likes", one)
    #expect(likes.value == -2)
    #expect(likes.counts.map(\.amount) == [-6, 4])
    #expect(likes.counts.map(\.timestamp.replica) == [Self.laptop, Self.phone])
    #expect(
      likes.description == """
        likes of r in c reads -2.
        The rule is counter; nothing was written concurrently.
        Counted:
        - -6 by 0000000000000001 at 2 ms
        - +4 by 0000000000000002 at 1 ms
        """)
    let tags = try explain("tags", one)
    #expect(tags.elements.map(\.value) == ["x", "y", "z"])
    #expect(tags.elements.map { $0.insertions.map(\.replica) }.last == [Self.laptop])
    #expect(tags.description.contains("\n- \"z\" by 0000000000000001 at 2 ms"))
  }

  @Test("whatever the document, it agrees with what the document shows")
  func agreement() {
    for seed in 0..<(isLongRun ? 500 : 6) as Range<UInt64> {
      for document in relatedDocuments(count: 3, stepCount: 40, seed: seed) {
        for collection in document.collections {
          for record in document.records(in: collection) {
            let fields = document.fields(of: record, in: collection) ?? [:]
            for (name, value) in fields {
              guard let found = document.explain([name], of: record, in: collection) else {
                Issue.record("seed \(seed): \(name) of \(record) has no explanation")
                continue
              }
              #expect(found.value == value, "seed \(seed)")
              let isConflict = document.conflict(of: [name], of: record, in: collection) != nil
              #expect(found.isInConflict == isConflict, "seed \(seed)")
              #expect(found.description.contains("\(value)"), "seed \(seed)")
              if case .int(let number) = value, found.rule == .counter {
                var start: Int64 = 0
                if case .int(let plain)? = found.winner?.value { start = plain }
                #expect(found.counts.reduce(start) { $0 &+ $1.amount } == number, "seed \(seed)")
              }
            }
          }
        }
      }
    }
  }
}
