/// `crdt-demo replay`: a real history through a map of registers.
enum ReplayCommand {
  static func run(_ options: ReplayOptions) -> ExitStatus {
    var console = Console()
    do {
      let bytes = try FileReader.read(options.file, sizeMax: HistoryTrace.sizeMax)
      let trace = try HistoryTrace(parsing: bytes)
      var replay = HistoryReplay(trace)
      let result = try replay.run { done in
        console.progress("\(done.grouped) of \(trace.commits.count.grouped) commits")
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
}
