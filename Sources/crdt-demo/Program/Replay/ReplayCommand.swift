import CRDTKit
import CRDTSimulator
import Toolkit

/// What a recording is replayed as.
enum ReplayForm: String, CaseIterable {
  /// Of a history: a map from paths to registers.
  case map
  /// Of a history: a document with a record for each path.
  case document
  /// Of an editing trace: a text.
  case text
}

/// `crdt-demo replay`: a real history, or the edits of a text, through replicated values.
enum ReplayCommand {
  private static func run(_ file: String, as form: ReplayForm?, isJSON: Bool) -> ExitStatus {
    var console = Console()
    do {
      let bytes = try FileReader.read(file, sizeMax: HistoryTrace.sizeMax)
      switch Recording(of: bytes) {
      case .history:
        let result = try replayHistory(bytes, as: form ?? .map, &console)
        console.write(isJSON ? "\(result.json)\n" : result.text)
      case .edits:
        let result = try replayEdits(bytes, as: form ?? .text, &console)
        console.write(isJSON ? "\(result.json)\n" : result.text)
        guard let problem = result.problem else { break }
        console.error("\(file): \(problem)")
        return console.finish(.diverged)
      case .simulation:
        throw CommandFailure("it is the trace of a simulation: read it by 'crdt-demo trace'")
      case .compressed:
        throw CommandFailure(
          "the file is compressed: unpack it, as by 'gunzip -c FILE | crdt-demo replay -'")
      }
      return console.finish(.success)
    } catch let malformed as HistoryTrace.Malformed {
      console.error("\(file):\(malformed.line): \(malformed.reason)")
    } catch let malformed as EditingTrace.Failure {
      console.error("\(file):\(malformed.line): \(malformed.reason)")
    } catch {
      console.error("\(file): \(error)")
    }
    return console.finish(.trouble)
  }

  private static func replayHistory(
    _ bytes: [UInt8], as form: ReplayForm, _ console: inout Console
  ) throws -> HistoryResult {
    let trace = try HistoryTrace(parsing: bytes)
    switch form {
    case .map where trace.record != nil:
      throw CommandFailure("a structured trace can't be a map; use --as=document")
    case .map: return try replay(trace, as: MergeMap<String, MVRegister<String>>.self, &console)
    case .document: return try replay(trace, as: Document.self, &console)
    case .text: throw CommandFailure("a history can't be a text; use --as=map or --as=document")
    }
  }

  private static func replay<Files: ReplayedFiles>(
    _ trace: HistoryTrace, as _: Files.Type, _ console: inout Console
  ) throws -> HistoryResult {
    var replay = HistoryReplay<Files>(trace)
    return try replay.run { done in
      console.progress("\(done.grouped) of \(trace.commits.count.grouped) commits")
    }
  }

  private static func replayEdits(
    _ bytes: [UInt8], as form: ReplayForm, _ console: inout Console
  ) throws -> TextReplayResult {
    guard form == .text else {
      throw CommandFailure("the edits of a text can't be a \(form.rawValue); use --as=text")
    }
    guard bytes.count <= EditingTrace.sizeMax else {
      throw CommandFailure("the trace is larger than \(EditingTrace.sizeMax >> 20) MiB")
    }
    let trace = try EditingTrace(utf8: bytes)
    var replay = TextReplay(trace)
    return try replay.run { done in
      console.progress("\(done.grouped) of \(trace.patchCount.grouped) patches")
    }
  }
}

/// What a file holds, as far as its first bytes tell.
private enum Recording {
  /// Commits of a repository; also what is none of the others.
  case history
  /// The edits of a text.
  case edits
  /// Events of a simulation, which are not replayed.
  case simulation
  /// Something that gzip made.
  case compressed

  init(of bytes: [UInt8]) {
    self =
      if EditingTrace.isRecognized(in: bytes) {
        .edits
      } else if bytes.starts(with: [0x1F, 0x8B]) {
        .compressed
      } else if bytes.first == UInt8(ascii: "{") {
        .simulation
      } else {
        .history
      }
  }
}

extension ReplayCommand: Command {
  static let name = "replay"
  static let operands = "[OPTION]... FILE"
  static let statuses =
    "0 if all lanes or agents converged, 1 if they did not, or if the\n"
    + "text isn't the one that its trace was recorded with,"

  static var options: [ArgumentScanner.Option] { ["as", .flag("json", "j")] }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    run(
      try arguments.operand("file operand"),
      as: try arguments["as"]?.choice(of: ReplayForm.self), isJSON: arguments.has("json"))
  }

  static let help = """
    replay takes a history trace (commits on lanes, each writing and removing
    paths) through an observed-remove map of registers, or through a document with
    a record for each path. Each lane is a replica; every parent's state reaches it
    as an encoded delta. A structured trace writes and removes the fields of one
    JSON file, nested ones too: it is replayed as a document, with one record. FILE
    may be - for the standard input.

    An editing trace (what one or several agents typed and deleted in a text) is
    replayed as a text. Each agent is a replica, which applies the encoded deltas of
    the transactions that its own come after. It prints how many agents and patches
    there were, and of the text in the end the Unicode scalars and the SHA-256.

          --as=FORM          what to replay it as: map or document, or of an editing
                               trace text (default map, or text)
      -j, --json             print one JSON object
    """
}
