/// `crdt-demo trace`: what is in a trace, or in what two differ.
enum TraceCommand {
  static func run(_ options: TraceOptions) -> ExitStatus {
    var console = Console()
    do {
      if options.files.count == 2 {
        return try compare(options.files[0], options.files[1], &console)
      }
      let run = TraceRun(try TraceReader.events(in: options.files[0]))
      if let replica = options.filter.replica, replica >= run.replicas.count {
        console.error(
          "invalid value '\(replica + 1)' for '--replica': "
            + "the trace has \(run.replicas.count.counted("replica"))")
        console.hint(HelpText.hint)
        return console.finish(.usage)
      }
      if let html = options.html {
        try FileWriter.writeText(ReportPage(run: run).html, to: html)
      } else {
        TraceText(run: run, filter: options.filter).write(to: &console)
      }
      return console.finish(.success)
    } catch {
      console.error(error.description)
      return console.finish(.trouble)
    }
  }

  private static func compare(
    _ left: String, _ right: String, _ console: inout Console
  ) throws(Trouble) -> ExitStatus {
    var left = try TraceReader(path: left)
    var right = try TraceReader(path: right)
    guard let difference = try TraceComparison(&left, &right) else {
      return console.finish(.success)
    }
    console.write("\(difference)\n")
    return console.finish(.diverged)
  }
}
