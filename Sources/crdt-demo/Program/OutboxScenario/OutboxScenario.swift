import CRDTKit
import CRDTSimulator
import CRDTStore
import CRDTStoreTesting
import Foundation
import Toolkit

/// An app that is used offline: its store, its outbox, and a server in another process.
///
/// What happens is the same for a seed, and told as events.
struct OutboxScenario {
  private let path: String
  private let server: ServerProcess
  private let clock = ScenarioClock()
  private let report: (ScenarioEvent) -> Void
  private var random: SeededGenerator
  private var store: Store

  private static let words = [
    "Moon", "Lake", "Story", "Lamp", "River", "Stone", "Winter", "Garden", "Letter", "Window",
  ]

  /// Opens the app's store, whose server has some notes already.
  init(
    at path: String, seed: UInt64, server: ServerProcess, report: @escaping (ScenarioEvent) -> Void
  ) async throws {
    (self.path, self.server, self.report) = (path, server, report)
    random = SeededGenerator(seed: seed)
    let replica = ReplicaID(random.next() >> 8)
    store = try await Self.open(path, clock) { $0.makeReplica = { replica } }
  }

  private static func open(
    _ path: String, _ clock: ScenarioClock, _ change: (inout Store.Options) -> Void = { _ in }
  ) async throws -> Store {
    var options = Store.Options()
    options.clock = clock
    change(&options)
    return try await Store.open(at: path, for: ScenarioNote.self, options: options)
  }

  /// Plays the scenario; says whether the server has what is here in the end.
  mutating func play() async throws -> Bool {
    try await load()
    try await server.control(ServerControl(isDown: true))
    tell("offline")
    try await edit()
    show()
    await queue()
    try await restart()
    try await server.control(ServerControl(isDown: false))
    tell("online")
    await drain()
    let isEqual = try await compare()
    try await store.close()
    return isEqual
  }
}

extension OutboxScenario {
  private func tell(_ name: String, _ fields: (name: String, value: JSONValue)...) {
    report(ScenarioEvent(name: name, fields: fields))
  }

  private var notes: Store.Records<ScenarioNote> { store.all(ScenarioNote.self) }

  private mutating func word() -> String { Self.words[random.below(Self.words.count)] }

  /// 1: the app has what the server has.
  private mutating func load() async throws {
    for number in 1...3 {
      let fields: [String: Document.Value] = [
        "id": .string("n\(number)"), "title": .string(word()),
        "likes": .int(Int64(random.below(10))),
      ]
      let edit = ServerControl.Edit(
        entityType: ScenarioNote.collection, entityId: "n\(number)", fields: fields)
      try await server.control(ServerControl(edit: edit))
    }
    let outcome = await store.outbox(over: server).sync()
    tell(
      "load", ("records", .integer(notes.count)), ("pulled", .integer(outcome.pulled)),
      ("pending", .integer(outcome.pending)))
  }

  /// 3: a note is created, one changed, and one deleted, while there is no network.
  private mutating func edit() async throws {
    let (new, other) = (ScenarioNote(id: "n4", title: word()), "\(word()) at night")
    try await store.write { try $0.create(new) }
    tell("created", ("record", .string("n4")), ("title", .string(new.title)))
    let numbers = [1, 2, 3].shuffled(using: &random)
    let (changed, deleted) = ("n\(numbers[0])", "n\(numbers[1])")
    try await store.write { tx in
      try tx.update(ScenarioNote.self, changed) { note in
        note.title = other
        note.likes += 1
      }
    }
    tell("updated", ("record", .string(changed)), ("title", .string(other)))
    try await store.write { try $0.delete(ScenarioNote.self, deleted) }
    tell("deleted", ("record", .string(deleted)))
  }

  /// 4: all of it is shown at once.
  private func show() {
    for note in notes {
      let status = store.status(of: ScenarioNote.self, note.id)
      tell(
        "shown", ("record", .string(note.id)), ("title", .string(note.title)),
        ("likes", .integer(note.likes)), ("status", .string(status.syncStatus.rawValue)))
    }
  }

  /// 5: all of it is queued, and stays so while there is no network.
  private func queue() async {
    let outbox = store.outbox(over: server)
    for operation in outbox.pending {
      tell(
        "queued", ("type", .string(operation.kind.rawValue)),
        ("record", .string(operation.record.record)), ("operation", .string("\(operation.id)")))
    }
    let outcome = await outbox.sync()
    tell(
      "refused", ("reason", .string(outcome.reason)), ("accepted", .integer(outcome.accepted)),
      ("pending", .integer(outcome.pending)))
  }

  /// The app ends and is started again, still without a network.
  private mutating func restart() async throws {
    try await store.close()
    store = try await Self.open(path, clock)
    tell(
      "restart", ("records", .integer(notes.count)),
      ("pending", .integer(store.outbox(over: server).pending.count)))
  }

  /// 7: the queue is emptied.
  private func drain() async {
    let outbox = store.outbox(over: server)
    outbox.retryWaiting()
    let outcome = await outbox.sync()
    tell(
      "drained", ("sent", .integer(outcome.sent)), ("accepted", .integer(outcome.accepted)),
      ("conflicts", .integer(outcome.conflicts)),
      ("deadLettered", .integer(outcome.deadLettered)), ("pending", .integer(outcome.pending)))
    for note in notes {
      let status = store.status(of: ScenarioNote.self, note.id)
      tell("synced", ("record", .string(note.id)), ("status", .string(status.syncStatus.rawValue)))
    }
  }

  /// 8: the server has what is here, and did each operation once.
  private func compare() async throws -> Bool {
    let page = try await server.pull(Outbox.PullRequest(collection: ScenarioNote.collection))
    let there = Dictionary(
      page.records.filter { !$0.isDeleted }.map { ($0.record.record, $0.fields) },
      uniquingKeysWith: { $1 })
    var here: [String: [String: Document.Value]] = [:]
    for note in notes {
      here[note.id] = store.document.fields(of: note.id, in: ScenarioNote.collection)
    }
    let effects = try await server.effects().map(\.id)
    let isEqual = here == there && !page.hasMore && Set(effects).count == effects.count
    tell(
      "compared", ("records", .integer(here.count)), ("server", .integer(there.count)),
      ("effects", .integer(effects.count)), ("equal", .bool(isEqual)))
    return isEqual
  }
}

extension Outbox.Report {
  /// Why it ended early, as a name; `done` where it didn't.
  fileprivate var reason: String {
    switch interruption {
    case nil: "done"
    case .deadline?: "deadline"
    case .store?: "store"
    case .remote(let error)?: error.kind.rawValue
    }
  }
}

/// A clock that goes on by a second each time that it is asked, so that a scenario is the
/// same in every run.
final class ScenarioClock: WallClock {
  private let state = Locked<UInt64>(1_750_000_000_000)

  var milliseconds: UInt64 {
    state.withLock { time in
      time += 1_000
      return time
    }
  }
}

/// Something that happened in a scenario: a name, and what is to be known of it, the same
/// on every platform.
struct ScenarioEvent {
  var name: String
  var fields: [(name: String, value: JSONValue)]

  /// The event as one JSON object on one line.
  var json: String { JSONValue.object([("event", .string(name))] + fields).description }

  /// The event as people read it: its name, and `name=value` for each field.
  var text: String {
    let width = 8
    let padding = String(repeating: " ", count: max(0, width - name.count))
    let words = fields.map { "\($0.name)=\($0.value)" }
    return words.isEmpty ? name : "\(name)\(padding) \(words.joined(separator: " "))"
  }
}

/// A note of the outbox scenario, of which a server is told.
struct ScenarioNote: Codable, Identifiable, Replicated {
  let id: String
  var title: String
  var likes = 0

  static let collection = "notes"
  static let serverAccess = ServerAccess.queued
  static let rules = Rules([CodingKeys.likes: .counter])
}

/// `crdt-demo outbox-scenario`: an app that is used offline, with a server in another
/// process, as a trace of what happens.
enum OutboxScenarioCommand {
  private static func run(seed: UInt64, isJSON: Bool) async -> ExitStatus {
    var console = Console(isQuiet: true)
    do {
      let isEqual = try await play(seed: seed, isJSON: isJSON, &console)
      return console.finish(isEqual ? .success : .diverged)
    } catch {
      console.error("the scenario stopped: \(error)")
      return console.finish(.trouble)
    }
  }

  private static func play(
    seed: UInt64, isJSON: Bool, _ console: inout Console
  ) async throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.path + "/crdt-demo-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = try ServerProcess()
    var events: [ScenarioEvent] = []
    defer {
      for event in events { console.write((isJSON ? event.json : event.text) + "\n") }
    }
    var scenario = try await OutboxScenario(
      at: folder + "/store", seed: seed, server: server
    ) { events.append($0) }
    let isEqual = try await scenario.play()
    await server.stop()
    return isEqual
  }
}

extension OutboxScenarioCommand: Command {
  static let name = "outbox-scenario"
  static let operands = "[OPTION]..."
  static let statuses =
    "0 if the server has what the app has, 1 if it has not,"

  static var options: [ArgumentScanner.Option] {
    [.init(name: "seed", letter: "s"), .flag("json", "j")]
  }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    try arguments.checkNoOperands()
    return await run(seed: try arguments["seed"]?.seed() ?? 1, isJSON: arguments.has("json"))
  }

  static let help = """
    outbox-scenario uses an app's store offline, with a server in a process of its
    own: notes are loaded; without a network one is created, one changed and one
    deleted; the app is started anew, goes online and sends what was queued. What
    happens is printed as events, the same for a seed; in the end the server must
    have what the app has.

      -s, --seed=N           what titles and changes follow from (default 1)
      -j, --json             print each event as a line of JSON
    """
}
