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

/// What `crdt-demo replay` was asked for.
struct ReplayOptions: Equatable {
  /// The trace's path; `-` stands for the standard input.
  var file: String
  var json = false
  var form = ReplayForm.map

  init(_ arguments: Arguments) throws(UsageError) {
    file = try arguments.operand("file operand")
    json = arguments.has("json")
    for case .option(let name, let text) in arguments.all {
      form = try OptionValue(name: name, text: text).choice(of: ReplayForm.self)
    }
  }
}

/// `crdt-demo replay`: a real history through a map of registers.
enum ReplayCommand {
  static func run(_ options: ReplayOptions) -> ExitStatus {
    var console = Console()
    do {
      let bytes = try FileReader.read(options.file, sizeMax: HistoryTrace.sizeMax)
      let trace = try HistoryTrace(parsing: bytes)
      if trace.record != nil, options.form == .map {
        console.error("\(options.file): a structured trace can't be a map; use --as=document")
        return console.finish(.trouble)
      }
      let result =
        switch options.form {
        case .map: try replay(trace, as: MergeMap<String, MVRegister<String>>.self, &console)
        case .document: try replay(trace, as: Document.self, &console)
        }
      console.write(options.json ? "\(result.json)\n" : result.text)
      return console.finish(.success)
    } catch let malformed as HistoryTrace.Malformed {
      console.error("\(options.file):\(malformed.line): \(malformed.reason)")
    } catch {
      console.error("\(options.file): \(error)")
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
    run(try ReplayOptions(arguments))
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
