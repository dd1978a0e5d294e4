import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What is counted on two devices that have a server and each other.
@Suite("A count counts once, whatever way it goes")
struct CountedOnceTests {
  struct Tally: Codable, Identifiable, Replicated {
    let id: String
    var count = 0

    static let collection = "tallies"
    static let serverAccess = ServerAccess.queued
    static let rules = Rules([CodingKeys.count: .counter])
  }

  struct Board: Codable, Identifiable, Replicated {
    let id: String
    var scores: [String: Int] = [:]

    static let collection = "boards"
    static let serverAccess = ServerAccess.readOnly
    static let rules = Rules([CodingKeys: Schema.FieldRule]()).with(["scores.*": .counter])
  }

  struct Own: Codable, Identifiable, Replicated {
    let id: String
    var count = 0

    static let collection = "own"
    static let rules = Rules([CodingKeys.count: .counter])
  }

  /// A device: its store, and its way to the server.
  private struct Device {
    let store: Store
    let outbox: Outbox

    init(
      _ stores: TestStores, _ path: String, over transport: FakeServer = FakeServer()
    ) async throws {
      store = try await Store.open(at: path, for: Tally.self, options: stores.options)
      outbox = store.outbox(over: transport)
    }

    func add(_ amount: Int) async throws {
      try await store.write { tx in
        if try tx.get(Tally.self, "t") == nil { try tx.create(Tally(id: "t")) }
        try tx.update(Tally.self, "t") { $0.count += amount }
      }
    }

    var count: Int? { try? store.get(Tally.self, "t")?.count }
  }

  /// Lets two stores meet as peers do, if they may.
  private static func meet(_ left: Store, _ right: Store) async throws {
    do throws(StoreError) { try await left.sync(with: .store(right)) } catch {
      guard case .countedTwice = error else { throw error }
    }
  }

  @Test("1 + 1 + 2 is 4 on both devices and at the server, in whatever order they meet")
  func ways() async throws {
    for order in 0..<81 {
      let stores = TestStores()
      let transport = FakeServer()
      let left = try await Device(stores, "/left", over: transport)
      let right = try await Device(stores, "/right", over: transport)
      try await left.add(1)
      #expect(await left.outbox.sync().isComplete)
      #expect(await right.outbox.sync().isComplete)
      try await right.add(1)
      try await left.add(2)
      var rest = order
      for _ in 0..<4 {
        switch rest % 3 {
        case 0: #expect(await left.outbox.sync().isComplete)
        case 1: #expect(await right.outbox.sync().isComplete)
        default: try await Self.meet(left.store, right.store)
        }
        rest /= 3
      }
      for device in [left, right, left] { #expect(await device.outbox.sync().isComplete) }
      let record = Document.RecordID("t", in: Tally.collection)
      let total = await transport.service.server.record(record)?.fields["count"]
      #expect(total == 4 && left.count == 4 && right.count == 4, "order \(order)")
    }
  }

  @Test("A store with a counter that goes to a server syncs with no peer, by no way")
  func refusals() async throws {
    let stores = TestStores()
    let relay = "/relay"
    let device = try await Device(stores, "/left")
    let peer = try await stores.openForTasks("/right")
    try await peer.edit { $0.create("r", in: "c") }
    try await device.add(1)
    let before = device.store.document
    let known = peer.document
    let refusal = StoreError.countedTwice(collection: "tallies", field: "count")
    await #expect(throws: refusal) { try await device.store.sync(with: .store(peer)) }
    await #expect(throws: refusal) { try await peer.sync(with: .store(device.store)) }
    await #expect(throws: refusal) { try await device.store.sync(with: .folder(relay)) }
    await #expect(throws: refusal) { try await device.store.relay(at: relay).publishAll() }
    await #expect(throws: refusal) { try await device.store.keepInSync(with: .folder(relay)) }
    await #expect(throws: refusal) { try await device.store.session().connect() }
    let greeting = try await peer.session().connect().compactMap { action -> [UInt8]? in
      if case .send(let bytes) = action { bytes } else { nil }
    }
    let session = device.store.session()
    await #expect(throws: refusal) { try await session.receive(greeting.flatMap(\.self)) }
    await #expect(throws: refusal) { try await device.store.apply(known.delta(since: [:])) }
    await #expect(throws: refusal) {
      try await session.run(receiving: AsyncStream { $0.finish() }) { _ in
        Issue.record("something was sent")
      }
    }
    #expect(device.store.document == before && peer.document == known)
    #expect(!stores.files.seenImage.files.keys.contains { $0.hasPrefix(relay) })
    // What it has is reached all the same, and goes to the server.
    #expect(device.count == 1)
    #expect(await device.outbox.sync().isComplete)
  }

  @Test("A store that is opened without its models is refused as well", arguments: [false, true])
  func withoutModels(isSynced: Bool) async throws {
    let stores = TestStores()
    let device = try await Device(stores, "/left")
    try await device.add(1)
    if isSynced { #expect(await device.outbox.sync().isComplete) }
    try await device.store.close()
    let plain = try await stores.openForTasks("/left")
    let refusal = StoreError.countedTwice(collection: "tallies", field: "count")
    await #expect(throws: refusal) { try await plain.sync(with: .folder("/relay")) }
    try await plain.close()
    // An app that has given the server up says so.
    struct Kept: Codable, Identifiable, Replicated {
      let id: String
      var count = 0
      static let collection = "tallies"
      static let rules = Rules([CodingKeys.count: .counter])
    }
    let kept = try await Store.open(at: "/left", for: Kept.self, options: stores.options)
    #expect(try await kept.sync(with: .folder("/relay")).deltasSent == 1)
    try await kept.close()
  }

  @Test("A counter within a dictionary is found, one without a server is no trouble")
  func rules() async throws {
    let options = TestStores().options
    let peer = try await Store.open(at: "/peer", for: Own.self, options: options)
    let own = try await Store.open(at: "/own", for: Own.self, options: options)
    try await own.write { try $0.create(Own(id: "o", count: 3)) }
    #expect(try await own.sync(with: .store(peer)).isSynchronized)
    #expect(try peer.get(Own.self, "o")?.count == 3)
    let board = try await Store.open(at: "/board", for: Own.self, Board.self, options: options)
    let refusal = StoreError.countedTwice(collection: "boards", field: "scores.*")
    await #expect(throws: refusal) { try await board.sync(with: .store(peer)) }
    #expect("\(refusal)".contains("'scores.*' of 'boards' goes to a server"))
  }
}
