import Toolkit

/// Measures CRDTKit beside the standard library, as a client would use it.
@main
enum CRDTBenchmark {
  static let name = "crdt-benchmark"

  static func main() {
    do throws(UsageError) {
      let options = try Options(arguments: CommandLine.arguments.dropFirst())
      Output.exit(options.wantsHelp ? printHelp() : measure(options))
    } catch {
      Output.complain("\(name): \(error.message)")
      Output.complain("Try '\(name) --help' for more information.")
      Output.exit(.usage)
    }
  }

  private static func printHelp() -> ExitStatus {
    Output.print(Options.help)
    return .success
  }

  private static func complainIfBusy(share: Double) {
    guard share < 0.9 else { return }
    Output.complain(
      "\(name): the machine was busy: it gave this process \(Int(share * 100)) % of a processor. "
        + "Others' time is not counted, but they also empty the caches."
    )
  }

  private static func measure(_ options: Options) -> ExitStatus {
    Build.shoutUnlessFast()
    let stopwatch = Stopwatch()
    let benchmark = Benchmark(options)
    do {
      try benchmark.addAll()
    } catch {
      Output.complain("\(name): \(error)")
      return .trouble
    }
    guard benchmark.rowCount > 0 else {
      Output.complain("\(name): no row's name matches '\(options.filterText)'")
      return .usage
    }
    complainIfBusy(share: stopwatch.processorShare())
    return .success
  }
}
