import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("What changes in the log build on")
struct LogFrontierTests {
  @Test("A commit writes what it changes, however many replicas have written")
  func bytesOfCommits() throws {
    let stores = TestStores()
    var peer = Document()
    for number in 0..<300 as Range<UInt64> {
      let stamp = HybridTimestamp(milliseconds: 1, replica: ReplicaID(1_000 + number))
      peer.edit(at: stamp) { $0.set("value", of: "r\(number)", in: "c", to: 1) }
    }
    var written = 0
    /// The bytes that are written by a change.
    func bytes(_ store: Store, _ change: () throws -> Void) throws -> Int {
      let before = try Store.log(at: "/store", fileSystem: stores.files).count
      try change()
      try store.flush()
      let log = try Store.log(at: "/store", fileSystem: stores.files)
      #expect(log.count > before)
      written += log.count - before
      return log.dropFirst(before).reduce(0) { $0 + $1.batchBytes }
    }
    var store = try stores.open { $0.segmentBytes = 1 << 26 }
    try store.apply(peer.delta(since: [:]))
    let session = store.session()
    var other = PeerSession<Document>(replica: ReplicaID(7))
    var toStore = other.connect(peer)
    func exchange(_ answers: [Store.Session.Action]) throws {
      var toPeer = answers
      while !toStore.isEmpty || !toPeer.isEmpty {
        var next: [Store.Session.Action] = []
        for case .send(let bytes) in toStore { next += try session.receive(bytes) }
        toStore = []
        for case .send(let bytes) in toPeer { toStore += other.receive(bytes, into: &peer) }
        toPeer = next
      }
    }
    try exchange(try session.connect())
    // The commit after a change by many names that change's events, and the store notes once
    // what the new peer has.
    try store.put(0)
    for round in 0..<20 as Range<UInt64> {
      #expect(try bytes(store) { try store.put(.int(Int64(round))) } < 1_000)
      let received = try bytes(store) {
        peer.edit(at: HybridTimestamp(milliseconds: 2 + round, replica: ReplicaID(7))) {
          $0.set("other", of: "r", in: "c", to: .int(Int64(round)))
        }
        toStore = other.flush(peer)
        try exchange([])
      }
      #expect(received < 1_000)
      guard round % 5 == 4 else { continue }
      session.disconnect()
      other.disconnect()
      try store.close()
      store = try stores.open { $0.segmentBytes = 1 << 26 }
      // The first commit after opening is as small.
      #expect(try bytes(store) { try store.put(.int(-1)) } < 1_000)
      break
    }
    #expect(written > 10)
  }

  @Test("A fork that was not seen when a change was applied is not seen in the log either")
  func hiddenForks() throws {
    var accepted = 0
    for shared in [1, 2, 4, 5] {
      for later in [1, 2, 5, 60, 300, 1_000] {
        func edit(_ document: inout Document, _ text: String, _ count: Int) {
          for number in 0..<count {
            let milliseconds = UInt64(1_750_000_000_000 + document._table.eventCount)
            document.edit(at: .init(milliseconds: milliseconds, replica: ReplicaID(9))) {
              $0.set("value", of: "\(text) \(number)", in: "c", to: .int(Int64(number)))
            }
          }
        }
        var left = Document()
        edit(&left, "both", shared)
        var right = left
        edit(&left, "left", 1)
        edit(&right, "right", later)
        let stores = TestStores()
        let store = try stores.open()
        try store.apply(left.delta(since: [:]))
        for base in [[:], [ReplicaID(9): UInt64(shared)]] as [VersionVector] {
          let isNew = try? store.apply(right.delta(since: base))
          accepted += isNew == true ? 1 : 0
        }
        let document = store.document
        try store.close()
        let again = try stores.open()
        #expect(again.document == document, "\(shared) events, then \(later) others")
      }
    }
    // Each is taken once: as a whole, or as what came after the events that both had.
    #expect(accepted == 24)
  }

  @Test("Events that come again don't stand for the change that brought them first")
  func repeatedEvents() throws {
    func edit(_ document: inout Document, _ record: String, _ text: String, by number: UInt64) {
      let milliseconds = 1_750_000_000_000 + document._table.eventCount
      document.edit(at: .init(milliseconds: milliseconds, replica: ReplicaID(number))) {
        $0.set("value", of: record, in: "c", to: .string(text))
      }
    }
    let stores = TestStores()
    let store = try stores.open()
    var (first, second) = (Document(), Document())
    edit(&first, "removed", String(repeating: "x", count: 5_000), by: 100)
    try store.apply(first.delta(since: [:]))
    edit(&second, "other", "once", by: 101)
    try store.apply(second.delta(since: [:]))
    try store.edit { $0.delete("removed", in: "c") }
    edit(&second, "other", "twice", by: 101)
    let all = try Document(decoding: second.encoded()).delta(since: [:])
    #expect(!all.listsRemovals)
    try store.apply(all)
    try store.close()
    let path = "/store/segments/0000000000000001.segment"
    let image = stores.files.seenImage
    var bytes = try #require(image[path])
    bytes[try Store.log(at: "/store", fileSystem: stores.files)[0].offset + 5] ^= 1
    let damaged = TestStores(
      SimulatedFileSystem(image.replacing(path, with: bytes)), replicasAfter: 50)
    _ = try Store.salvage(at: "/store", options: damaged.options)
    let salvaged = try damaged.open()
    #expect(salvaged.document.version[ReplicaID(101)] > 0)
    // The removal is of a row that is lost.
    #expect(salvaged.document.version[store.replica] == 0)
    try salvaged.apply(first.delta(since: [:]))
    #expect(salvaged.document.value(of: "value", of: "removed", in: "c") != nil)
  }

  @Test("After any damage no event is salvaged without those that its maker had seen")
  func salvagedPasts() throws {
    var lost = 0
    for seed in seeds(60, long: 20_000) {
      do {
        var run = try LoggedRun(seed: seed)
        try run.play(steps: 60)
        lost += try run.salvageAfterDamage()
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
    #expect(lost > 100)
  }
}

/// A store beside writers that hear of one another in every order, and the past of each
/// event.
private struct LoggedRun {
  let stores = TestStores()
  private var random: SeededGenerator
  private var store: Store
  /// The writers; each has the store's commits and the others' only as it happens.
  private var writers: [(replica: ReplicaID, document: Document)]
  /// What the maker of each event had seen before it.
  private var pasts: [Dot: VersionVector] = [:]
  private var milliseconds: UInt64 = 1_750_000_000_000

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    store = try stores.open { $0.segmentBytes = 30_000 }
    writers = (0..<4).map { (ReplicaID(UInt64(100 + $0)), Document()) }
  }

  mutating func play(steps: Int) throws {
    for _ in 0..<steps {
      milliseconds += 1
      let writer = Int.random(in: 0..<writers.count, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2: edit(writer)
      case 3...5: try bring(writer)
      case 6:
        let other = Int.random(in: 0..<writers.count, using: &random)
        writers[writer].document.merge(writers[other].document)
      case 7: writers[writer].document.merge(store.document)
      case 8: try editStore()
      default:
        guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
        try store.close()
        store = try stores.open { $0.segmentBytes = 30_000 }
      }
    }
    try store.close()
  }

  private mutating func edit(_ writer: Int) {
    let replica = writers[writer].replica
    let past = writers[writer].document.version
    let record = "r\(Int.random(in: 0..<3, using: &random))"
    // A change of 4 KiB stands in the log as it came, and the next spells its names out.
    let size = Int.random(in: 0..<3, using: &random) == 0 ? 5_000 : 10
    let text = String(repeating: "x", count: size)
    let isRemoval = Int.random(in: 0..<5, using: &random) == 0
    writers[writer].document.edit(at: .init(milliseconds: milliseconds, replica: replica)) {
      if isRemoval {
        $0.delete(record, in: "c")
      } else {
        $0.set("value", of: record, in: "c", to: .string(text))
      }
    }
    note(writers[writer].document.version, since: past)
  }

  /// Brings a writer's events to the store, also some that it has, if what they build on is
  /// there.
  private mutating func bring(_ writer: Int) throws {
    let known = store.document.version
    var since = known
    for entry in known where Bool.random(using: &random) {
      since[entry.replica] = UInt64.random(in: 0...entry.counter, using: &random)
    }
    // A copy that was read back lists rows that are left where it has forgotten removals.
    let isReadBack = Bool.random(using: &random)
    let document = writers[writer].document
    let copy = isReadBack ? try Document(decoding: document.encoded()) : document
    try store.apply(copy.delta(since: since))
    let reader = try stores.open {
      $0.access = .readOnly
      $0.readsBesideWriter = true
    }
    guard reader.document == store.document else {
      throw Failure(description: "the log reads as something else than what was done")
    }
  }

  private mutating func editStore() throws {
    let past = store.document.version
    try store.put(.int(Int64(milliseconds)), of: "r\(Int.random(in: 0..<3, using: &random))")
    note(store.document.version, since: past)
  }

  private mutating func note(_ version: VersionVector, since past: VersionVector) {
    for entry in version where entry.counter > past[entry.replica] {
      for counter in past[entry.replica] + 1...entry.counter {
        pasts[Dot(entry.replica, counter)] = past
      }
    }
  }

  /// Damages a commit, salvages the store, and judges what is there; returns how many events
  /// were lost.
  mutating func salvageAfterDamage() throws -> Int {
    let log = try Store.log(at: "/store", fileSystem: stores.files)
    guard let entry = log.randomElement(using: &random) else { return 0 }
    let number = String(entry.segment)
    let name = String(repeating: "0", count: 16 - number.count) + number
    let path = "/store/segments/\(name).segment"
    let image = stores.files.seenImage
    var bytes = try #require(image[path])
    bytes[entry.offset + 5] ^= 1
    let damaged = TestStores(
      SimulatedFileSystem(image.replacing(path, with: bytes)), replicasAfter: 50)
    _ = try Store.salvage(at: "/store", options: damaged.options)
    let version = try damaged.open().document.version
    for entry in version {
      // What the salvage writes anew is its own.
      guard let past = pasts[Dot(entry.replica, entry.counter)] else { continue }
      guard version.contains(past) else {
        throw Failure(description: "\(entry) is there, without \(past.subtracting(version))")
      }
    }
    return log.count - log.filter { version.contains($0.version) }.count
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
