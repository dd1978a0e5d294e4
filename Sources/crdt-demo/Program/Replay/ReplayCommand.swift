import CRDTKit
import CRDTSimulator
import Toolkit

/// What a history is replayed as.
enum ReplayForm: String, CaseIterable {
  /// A map from paths to registers.
  case map
  /// A document with a record for each path.
  case document
}

/// `crdt-demo replay`: a real history through a map of registers.
enum ReplayCommand {
  private static func run(_ file: String, as form: ReplayForm, isJSON: Bool) -> ExitStatus {
    var console = Console()
    do {
      let bytes = try FileReader.read(file, sizeMax: HistoryTrace.sizeMax)
      let trace = try HistoryTrace(parsing: bytes)
      if trace.record != nil, form == .map {
        console.error("\(file): a structured trace can't be a map; use --as=document")
        return console.finish(.trouble)
      }
      let result =
        switch form {
        case .map: try replay(trace, as: MergeMap<String, MVRegister<String>>.self, &console)
        case .document: try replay(trace, as: Document.self, &console)
        }
      console.write(isJSON ? "\(result.json)\n" : result.text)
      return console.finish(.success)
    } catch let malformed as HistoryTrace.Malformed {
      console.error("\(file):\(malformed.line): \(malformed.reason)")
    } catch {
      console.error("\(file): \(error)")
    }
    return console.finish(.trouble)
  }

  private static func replay<Files: ReplayedFiles>(
    _ trace: HistoryTrace, as _: Files.Type, _ console: inout Console
  ) throws -> HistoryResult {
    var replay = HistoryReplay<Files>(trace)
    return try replay.run { done in
      console.progress("\(done.grouped) of \(trace.commits.count.grouped) commits")
    }
  }
}

extension ReplayCommand: Command {
  static let name = "replay"
  static let operands = "[OPTION]... FILE"
  static let statuses =
    "0 if all lanes converged, 1 if they did not,"

  static var options: [ArgumentScanner.Option] { ["as", .flag("json", "j")] }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    run(
      try arguments.operand("file operand"),
      as: try arguments["as"]?.choice(of: ReplayForm.self) ?? .map, isJSON: arguments.has("json"))
  }

  static let help = """
    replay takes a history trace (commits on lanes, each writing and removing
    paths) through an observed-remove map of registers, or through a document with
    a record for each path. Each lane is a replica; every parent's state reaches it
    as an encoded delta. A structured trace writes and removes the fields of one
    JSON file, nested ones too: it is replayed as a document, with one record. FILE
    may be - for the standard input.

          --as=FORM          what to replay it as: map or document (default map)
      -j, --json             print one JSON object
    """
}
