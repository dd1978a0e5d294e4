package import Toolkit

/// `crdt-demo trace`: what is in a trace, or in what two differ.
package enum TraceCommand {
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
        console.hint(Console.hint)
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
  ) throws(CommandFailure) -> ExitStatus {
    var left = try TraceReader(path: left)
    var right = try TraceReader(path: right)
    guard let difference = try TraceComparison(&left, &right) else {
      return console.finish(.success)
    }
    console.write("\(difference)\n")
    return console.finish(.diverged)
  }
}

extension TraceCommand: Command {
  package static let name = "trace"
  package static let operands = "[OPTION]... FILE [FILE]"
  package static let statuses =
    "0 if it was shown or two are equal, 1 if two differ,"

  package static var options: [ArgumentScanner.Option] { TraceOptions.known }

  package static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    run(try TraceOptions(arguments))
  }

  package static let help = """
    trace shows what is in a trace of 'simulate': what each replica did, and the
    events. Of two traces it shows the first difference; the status is 0 if there is
    none, 1 if there is one. FILE may be - for the standard input.

          --replica=N        only events of the replica N, counted from 1, be it as
                               sender, receiver or end of a link
          --kind=KINDS       only events of these kinds, such as lose,crash
          --from=SECONDS     only events from this time on
          --to=SECONDS       only events until this time
          --html=FILE        write a page of HTML that shows the trace, and no text
    """
}
