import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// An app's data layer in memory: a store, its outbox, and a server that does what a
/// test says.
final class Scenario: Sendable {
  let stores: TestStores
  let transport: FakeServer
  let events: Guarded<[Store.Event]>
  let store: Store
  let outbox: Outbox
  /// Whether it meets other stores, beside the server.
  private let hasPeers: Bool

  init(
    _ stores: TestStores = TestStores(), _ transport: FakeServer = FakeServer(),
    path: String = "/store", hasPeers: Bool = false, events: Guarded<[Store.Event]> = Guarded([]),
    store change: (inout Store.Options) -> Void = { _ in },
    outbox options: Outbox.Options = Outbox.Options(), over other: (any Outbox.Transport)? = nil
  ) async throws {
    (self.stores, self.transport, self.events) = (stores, transport, events)
    var storeOptions = stores.options
    storeOptions.onEvent = { event in events.withLock { $0.append(event) } }
    change(&storeOptions)
    self.hasPeers = hasPeers
    store = try await ScenarioNote.$hasPeers.withValue(hasPeers) { [storeOptions] in
      try await Store.open(
        at: path, for: ScenarioNote.self, ScenarioContact.self, ScenarioPrice.self,
        ScenarioPayment.self, ScenarioTask.self, ScenarioVisit.self, options: storeOptions)
    }
    outbox = store.outbox(over: other ?? transport, options: options)
    await transport.keepTime(by: stores.clock)
  }

  /// Kills the process and starts another one, which finds what others saw.
  func killed() async throws -> Scenario {
    let image = stores.files.seenImage
    stores.files.killProcess()
    let again = TestStores(SimulatedFileSystem(image), replicasAfter: 100)
    again.clock.milliseconds = stores.clock.milliseconds
    return try await Scenario(again, transport, hasPeers: hasPeers, events: events)
  }
}

extension Scenario {
  /// Lets time go by.
  func pass(_ milliseconds: UInt64) {
    stores.clock.milliseconds += milliseconds
  }

  /// Lets go wrong what a test wants, or changes the server.
  func server(_ body: @Sendable (inout ReferenceService) -> Void) async {
    await transport.change(body)
  }

  /// Lets the server say of when things were changed what it is to say.
  func serverSays(_ times: ReferenceServer.Times) async { await server { $0.server.times = times } }

  func goOffline() async { await server { $0.isDown = true } }

  func goOnline() async {
    await server { $0.isDown = false }
    outbox.retryWaiting()
  }

  /// Changes a record at the server as another client does.
  func serverEdits<Model: Replicated>(
    _ type: Model.Type, _ name: String, _ fields: [String: Document.Value], isDeleted: Bool = false
  ) async {
    await server {
      $0.server.edit(
        Document.RecordID(name, in: Model.collection), fields, isDeleted: isDeleted)
    }
  }

  /// The fields of a record at the server; `nil` where it has none.
  func remote<Model: Replicated>(
    _ type: Model.Type, _ name: String
  ) async -> [String: Document.Value]? {
    let service = await transport.service
    let record = service.server.record(Document.RecordID(name, in: Model.collection))
    return record?.isDeleted == false ? record?.fields : nil
  }

  /// The fields of a record here; `nil` where there is none.
  func local<Model: Replicated>(_ type: Model.Type, _ name: String) -> [String: Document.Value]? {
    store.document.fields(of: name, in: Model.collection)
  }

  /// The operations that had an effect at the server, as texts.
  var effects: [Outbox.OperationID] {
    get async { await transport.service.server.effects.map(\.id) }
  }

  /// Waits for an event of the store.
  func hasEvent(_ isIt: @Sendable (Store.Event) -> Bool) async -> Bool {
    await Self.until { self.events.withLock { $0.contains(where: isIt) } }
  }

  /// Says whether something comes to hold, which it may take a while to.
  ///
  /// It looks a bounded number of times, which takes longer on a busy machine.
  static func until(_ holds: @Sendable () async -> Bool) async -> Bool {
    for _ in 0..<100_000 {
      if await holds() { return true }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return await holds()
  }

  /// A note that is here and at the server.
  func syncedNote(_ note: ScenarioNote = ScenarioNote(id: "n1", title: "Moon")) async throws {
    try await store.write { try $0.create(note) }
    let report = await outbox.sync()
    guard report.isComplete else { throw Unsynced(report: report) }
  }

  struct Unsynced: Error {
    let report: Outbox.Report
  }
}
