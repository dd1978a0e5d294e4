import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// The way back for stores that wrote while their clock was ahead.
@Suite("A store that writes anew what is stamped in the future")
struct RestampTests {
  private static let tenYears: UInt64 = 3_653 * 86_400_000

  private let stores = TestStores()
  private let right: UInt64 = 1_750_000_000_000

  private var schema: Schema {
    Schema(collections: [
      "notes": Schema.Collection(fields: ["body": .manual, "likes": .counter, "tags": .set])
    ])
  }

  private func open(_ path: String) throws -> Store {
    try stores.open(path, schema: schema)
  }

  /// What each of two stores holds after both have exchanged, or why a side refused.
  private func exchange(_ left: Store, _ right: Store) throws -> [SyncFailure] {
    let (mine, theirs) = (left.session(), right.session())
    defer {
      mine.disconnect()
      theirs.disconnect()
    }
    var failures: [SyncFailure] = []
    var (toRight, toLeft) = (try mine.connect(), try theirs.connect())
    while !toRight.isEmpty || !toLeft.isEmpty {
      for case .close(let failure) in toRight + toLeft { failures.append(failure) }
      if !failures.isEmpty { return failures }
      let (forRight, forLeft) = (toRight.bytes, toLeft.bytes)
      toRight = forLeft.isEmpty ? [] : try mine.receive(forLeft)
      toLeft = forRight.isEmpty ? [] : try theirs.receive(forRight)
      if toRight.bytes.isEmpty, toLeft.bytes.isEmpty { return failures }
    }
    return failures
  }

  /// Writes of every kind, ten years ahead, on top of what was written before.
  private func writeAhead(_ store: Store) throws {
    try store.edit { edit in
      edit.set("title", of: "old", in: "notes", to: "before")
      edit.set("title", of: "gone", in: "notes", to: "gone")
    }
    stores.clock.milliseconds = right + Self.tenYears
    try store.edit { edit in
      edit.set("title", of: "n", in: "notes", to: "Moon")
      edit.set("place", of: "n", in: "notes", to: ["city": "Oslo", "zip": 581])
      edit.insert("a", into: "tags", of: "n", in: "notes")
      edit.delete("gone", in: "notes")
    }
    try store.edit { edit in try edit.increment("likes", of: "n", in: "notes", by: 3) }
    stores.clock.milliseconds = right
  }

  private func latest(_ store: Store) -> UInt64 {
    store.document.latestTimestamp?.milliseconds ?? 0
  }

  @Test("A peer that refused it takes it in, by session")
  func session() throws {
    let (store, peer) = (try open("/a"), try open("/b"))
    try writeAhead(store)
    try peer.edit { $0.set("title", of: "theirs", in: "notes", to: "here") }
    let refused = try exchange(store, peer)
    guard case .refused(let reason)? = refused.first else {
      Issue.record("it was taken in: \(refused)")
      return
    }
    #expect(reason.contains("ahead of the clock"))
    #expect(!peer.document.contains("n", in: "notes"))
    let report = try store.restampFutureWrites()
    #expect(report.isComplete && report.valuesWritten > 5)
    #expect(report.records.map(\.record).sorted() == ["gone", "n"])
    #expect(try exchange(store, peer) == [])
    for one in [store, peer] {
      #expect(
        one.document.fields(of: "n", in: "notes")
          == [
            "title": "Moon", "place": ["city": "Oslo", "zip": 581], "tags": ["a"], "likes": 3,
          ])
      #expect(one.document.value(of: "title", of: "old", in: "notes") == "before")
      #expect(one.document.deletedRecords(in: "notes") == ["gone"])
      #expect(one.document.deletedFields(of: "gone", in: "notes") == ["title": "gone"])
      #expect(one.document.contains("theirs", in: "notes"))
      #expect(latest(one) <= right + 1_000)
    }
    #expect(store.document == peer.document)
    try store.close()
    try peer.close()
  }

  @Test("A peer that refused it takes it in, by way of a folder")
  func folder() throws {
    let (store, peer) = (try open("/a"), try open("/b"))
    try store.edit { $0.set("title", of: "first", in: "notes", to: "shared") }
    try store.sync(with: .folder("/relay"))
    try peer.sync(with: .folder("/relay"))
    try writeAhead(store)
    try store.sync(with: .folder("/relay"))
    #expect(!(try peer.sync(with: .folder("/relay")).isSynchronized))
    #expect(!peer.document.contains("n", in: "notes"))
    try store.restampFutureWrites()
    try store.edit { $0.set("title", of: "after", in: "notes", to: "new") }
    for _ in 0..<2 {
      try store.sync(with: .folder("/relay"))
      try peer.sync(with: .folder("/relay"))
    }
    #expect(peer.document == store.document)
    #expect(peer.document.value(of: "title", of: "n", in: "notes") == "Moon")
    // It is said once; then nothing more is written.
    let report = try store.sync(with: .folder("/relay"))
    #expect(report.isSynchronized && report.deltasSent == 0)
    try store.close()
    try peer.close()
  }

  @Test("Later commits have stamps of the clock, after another start too")
  func clockComesBack() throws {
    let store = try open("/a")
    try writeAhead(store)
    try store.put("before")
    #expect(latest(store) > right + Self.tenYears / 2)
    #expect(store.clockWarning != nil)
    try store.restampFutureWrites()
    #expect(store.clockWarning == nil)
    for isCompacted in [false, true] {
      stores.clock.milliseconds += 5_000
      try store.put(.bool(isCompacted))
      #expect(latest(store) == stores.clock.milliseconds)
      if isCompacted { try store.compact() }
    }
    try store.close()
    stores.clock.milliseconds += 5_000
    let again = try open("/a")
    #expect(again.clockWarning == nil)
    try again.put("again")
    #expect(latest(again) == stores.clock.milliseconds)
    try again.close()
  }

  @Test("All sides of a conflict stay, and it can be settled on every side")
  func conflicts() throws {
    let (store, peer) = (try open("/a"), try open("/b"))
    try store.edit { $0.set("body", of: "n", in: "notes", to: "old") }
    #expect(try exchange(store, peer) == [])
    stores.clock.milliseconds = right + Self.tenYears
    try store.edit { $0.set("body", of: "n", in: "notes", to: "mine") }
    try peer.edit { $0.set("body", of: "n", in: "notes", to: "theirs") }
    #expect(try exchange(store, peer) == [])
    stores.clock.milliseconds = right
    let sides = store.document.conflicts.first?.sides.map(\.value)
    #expect(sides.map(Set.init) == ["mine", "theirs"])
    // The peer has taken the stamps in, and its own are as far ahead.
    try store.restampFutureWrites()
    #expect(store.document.conflicts.map { $0.sides.map(\.value) } == sides.map { [$0] })
    #expect(store.document.conflicts.first?.ancestor?.value == "old")
    #expect(try exchange(store, peer) == [])
    #expect(peer.document == store.document)
    let conflict = try #require(peer.document.conflicts.first)
    try peer.restampFutureWrites()
    try peer.edit { $0.resolve(conflict, with: "both") }
    #expect(try exchange(store, peer) == [])
    #expect(store.document.conflicts == [] && store.document == peer.document)
    #expect(store.document.value(of: "body", of: "n", in: "notes") == "both")
    try store.close()
    try peer.close()
  }

  @Test("A peer whose clock had followed comes back when it has taken it in")
  func follower() throws {
    let (store, peer) = (try open("/a"), try open("/b"))
    try writeAhead(store)
    stores.clock.milliseconds = right + Self.tenYears
    #expect(try exchange(store, peer) == [])
    stores.clock.milliseconds = right
    try store.restampFutureWrites()
    #expect(try exchange(store, peer) == [])
    #expect(latest(peer) <= right + 1_000)
    // Its clock goes on from the stamps that it had seen, until it looks.
    try peer.close()
    let again = try open("/b")
    #expect(again.clockWarning == nil)
    try again.put("new")
    #expect(latest(again) <= right + 1_000)
    #expect(try exchange(store, again) == [])
    #expect(store.document == again.document)
    try store.close()
    try again.close()
  }

  @Test("What another replica counted, it writes anew itself, and nothing counts twice")
  func counts() throws {
    let (store, peer) = (try open("/a"), try open("/b"))
    stores.clock.milliseconds = right + Self.tenYears
    for one in [store, peer] {
      try one.edit { edit in try edit.increment("likes", of: "n", in: "notes", by: 2) }
      #expect(try exchange(store, peer) == [])
    }
    stores.clock.milliseconds = right
    let report = try store.restampFutureWrites()
    #expect(report.countsLeft == [peer.replica: 1] && !report.isComplete)
    #expect(try peer.restampFutureWrites().countsLeft == [store.replica: 1])
    #expect(try exchange(store, peer) == [])
    #expect(store.document == peer.document)
    #expect(store.document.value(of: "likes", of: "n", in: "notes") == 4)
    #expect(try store.restampFutureWrites().valuesWritten == 0)
    let third = try open("/c")
    #expect(try exchange(store, third) == [])
    #expect(third.document == store.document)
    for one in [store, peer, third] { try one.close() }
  }

  @Test("Where nothing is ahead, nothing is written")
  func nothingToDo() throws {
    let store = try open("/a")
    try store.put("now")
    let (before, calls) = (store.document, stores.files.callCount)
    #expect(try store.restampFutureWrites().valuesWritten == 0)
    #expect(store.document.version == before.version && stores.files.callCount == calls)
    try store.close()
  }
}
