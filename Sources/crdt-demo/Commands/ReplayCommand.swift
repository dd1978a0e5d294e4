import CRDTKit

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
