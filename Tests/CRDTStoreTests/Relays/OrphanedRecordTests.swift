import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A store that was away comes back with an edit of what the others have purged.
@Suite("Back after a purge")
struct OrphanedRecordTests {
  /// How long the store was away, how it meets the others, and what becomes of its edit.
  struct Return: CustomTestStringConvertible {
    var days: UInt64
    var isRetired: Bool
    var byFolder: Bool
    var isRestored: Bool

    var testDescription: String {
      "\(days) days, \(isRetired ? "" : "not ")retired, by \(byFolder ? "folder" : "session"), "
        + (isRestored ? "restored" : "discarded")
    }

    static let all: [Return] = {
      var all: [Return] = []
      for days in [31, 61, 400] as [UInt64] {
        for bits in 0..<8 {
          all.append(
            Return(
              days: days, isRetired: bits & 1 != 0, byFolder: bits & 2 != 0,
              isRestored: bits & 4 != 0))
        }
      }
      return all
    }()
  }

  private static let record = Document.RecordID("r", in: "c")
  private static let text = "an hour's work"
  private let stores = TestStores()

  /// Lets stores meet until all know what all know.
  private func meet(_ all: [Store], byFolder: Bool) throws {
    for _ in 0..<3 {
      if byFolder {
        for store in all { try store.sync(with: .folder("/relay")) }
      } else {
        for (one, other) in zip(all, all.dropFirst()) {
          try exchange(one.session(), other.session())
        }
      }
    }
  }

  /// Three stores, of which the last was away and has come back: the record that it
  /// edited is purged.
  private func returned(
    _ way: Return, _ onEvent: @escaping @Sendable (Int, Store.Event) -> Void = { _, _ in }
  ) throws -> [Store] {
    let all = try ["/one", "/two", "/away"].enumerated().map { place, path in
      try stores.open(path) { $0.onEvent = { onEvent(place, $0) } }
    }
    try all[0].edit { edit in
      edit.set("title", of: "r", in: "c", to: "old")
      edit.set("body", of: "r", in: "c", to: "old")
      edit.set("place.city", of: "r", in: "c", to: "old")
    }
    try meet(all, byFolder: way.byFolder)
    try all[2].edit { edit in
      edit.set("body", of: "r", in: "c", to: .string(Self.text))
      edit.set("place.city", of: "r", in: "c", to: "Oslo")
    }
    try all[0].edit { $0.delete("r", in: "c") }
    try meet([all[0], all[1]], byFolder: way.byFolder)
    stores.clock.milliseconds += way.days * 86_400_000
    try meet([all[0], all[1]], byFolder: way.byFolder)
    if way.isRetired {
      if way.byFolder {
        try all[0].relay(at: "/relay").retire(all[2].replica)
      } else {
        try all[0].forget(peer: all[2].replica)
      }
    }
    try all[0].compact()
    #expect(all[0].document.deletedRecords(in: "c") == [], "it is purged")
    try meet([all[0], all[1]], byFolder: way.byFolder)
    try meet(all, byFolder: way.byFolder)
    return all
  }

  @Test(
    "the edit is listed everywhere, and restored or discarded everywhere", arguments: Return.all)
  func decided(_ way: Return) throws {
    let all = try returned(way)
    let fields: [String: Document.Value] = [
      "body": .string(Self.text), "place": ["city": "Oslo"],
    ]
    for store in all {
      let orphans = store.document.orphanedRecords
      #expect(orphans.map(\.id) == [Self.record])
      #expect(orphans.first?.fields == fields)
      #expect(store.document.fields(of: "r", in: "c") == nil)
      try store.compact()
      #expect(store.document.orphanedRecords == orphans, "no compaction takes it away")
    }
    let orphan = try #require(all[1].document.orphanedRecords.first)
    let isDone = try all[1].edit { edit in
      way.isRestored ? edit.restore(orphan) : edit.discard(orphan)
    }
    #expect(isDone)
    try meet(all, byFolder: way.byFolder)
    for store in all {
      #expect(store.document == all[0].document)
      #expect(store.document.orphanedRecords == [])
      #expect(store.document.fields(of: "r", in: "c") == (way.isRestored ? fields : nil))
      #expect(store.document.encoded().contains(Self.text) == way.isRestored)
    }
  }

  @Test("both sides are told once of the records that were edited and purged")
  func events() async throws {
    let (events, told) = AsyncStream.makeStream(of: [Int].self)
    let known = Guarded<[Int: Int]>([:])
    let all = try returned(
      Return(days: 61, isRetired: false, byFolder: true, isRestored: true)
    ) { place, event in
      guard case .recordsOrphaned(let records) = event else { return }
      #expect(records == [Self.record])
      let places = known.withLock { counts -> [Int] in
        counts[place, default: 0] += 1
        return counts.keys.sorted()
      }
      told.yield(places)
    }
    for await places in events where places == [0, 1, 2] { break }
    // What is known already isn't told again.
    try all[0].put("else", of: "other")
    try meet(all, byFolder: true)
    #expect(known.withLock { $0 } == [0: 1, 1: 1, 2: 1])
  }

  @Test("an edit of what is only deleted brings the record back, and is no orphan")
  func inTime() throws {
    for byFolder in [true, false] {
      let stores = TestStores()
      let all = try ["/one", "/two"].map { try stores.open($0) }
      try all[0].put("old")
      try meet(all, byFolder: byFolder)
      try all[1].put(.string(Self.text))
      try all[0].edit { $0.delete("r", in: "c") }
      stores.clock.milliseconds += 29 * 86_400_000
      try all[0].compact()
      try meet(all, byFolder: byFolder)
      for store in all {
        #expect(store.document.fields(of: "r", in: "c") == ["value": .string(Self.text)])
        #expect(store.document.orphanedRecords == [])
      }
    }
  }

  @Test("what a retired store counted in a record that was purged doesn't come back")
  func retiredCounts() throws {
    for isRetired in [false, true] {
      let stores = TestStores()
      let all = try ["/one", "/two", "/away"].map { try stores.open($0) }
      let count = { (store: Store, amount: Int64) in
        _ = try store.edit { edit in
          try? edit.increment("n", of: "r", in: "c", by: amount)
        }
      }
      try count(all[2], 5)
      try meet(all, byFolder: true)
      try all[0].edit { $0.delete("r", in: "c") }
      // More than one compaction after all that are waited for have seen the purge.
      for _ in 0..<3 {
        stores.clock.milliseconds += 31 * 86_400_000
        if isRetired { try all[0].relay(at: "/relay").retire(all[2].replica) }
        for store in all[..<2] {
          try meet(Array(all[..<2]), byFolder: true)
          try store.compact()
        }
      }
      try count(all[1], 2)
      try count(all[2], 1)
      try meet(all, byFolder: true)
      for store in all {
        #expect(store.document.fields(of: "r", in: "c") == ["n": 3], "retired: \(isRetired)")
      }
    }
  }
}

extension [UInt8] {
  /// Whether a text stands in the bytes.
  fileprivate func contains(_ text: String) -> Bool {
    let text = Array(text.utf8)
    return indices.contains { self[$0...].starts(with: text) }
  }
}
