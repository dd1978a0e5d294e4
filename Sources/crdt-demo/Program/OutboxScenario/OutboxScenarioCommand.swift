import CRDTSimulator
import Toolkit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What `crdt-demo outbox-scenario` is asked for.
struct OutboxScenarioOptions: Equatable {
  /// What the names and changes of records follow from.
  var seed: UInt64 = 1
  /// Whether events are printed as lines of JSON.
  var json = false

  init(_ arguments: Arguments) throws(UsageError) {
    try arguments.checkNoOperands()
    json = arguments.has("json")
    for case .option(let name, let text) in arguments.all {
      seed = try OptionValue(name: name, text: text).seed()
    }
  }

  /// The options that it takes, beside those that all commands do.
  static let known: [ArgumentScanner.Option] = [
    .init(name: "seed", letter: "s"),
    .flag("json", "j"),
  ]
}

/// `crdt-demo outbox-scenario`: an app that is used offline, with a server in another
/// process, as a trace of what happens.
enum OutboxScenarioCommand {
  static func run(_ options: OutboxScenarioOptions) async -> ExitStatus {
    var console = Console(isQuiet: true)
    do {
      let isEqual = try await play(options, &console)
      return console.finish(isEqual ? .success : .diverged)
    } catch {
      console.error("the scenario stopped: \(error)")
      return console.finish(.trouble)
    }
  }

  private static func play(
    _ options: OutboxScenarioOptions, _ console: inout Console
  ) async throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.path + "/crdt-demo-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = try ServerProcess()
    var events: [ScenarioEvent] = []
    defer {
      for event in events { console.write((options.json ? event.json : event.text) + "\n") }
    }
    var scenario = try await OutboxScenario(
      at: folder + "/store", seed: options.seed, server: server
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

  static var options: [ArgumentScanner.Option] { OutboxScenarioOptions.known }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    await run(try OutboxScenarioOptions(arguments))
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
