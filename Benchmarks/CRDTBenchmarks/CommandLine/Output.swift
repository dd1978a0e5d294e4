import Toolkit

#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Darwin)
@preconcurrency import Darwin
#endif

/// The streams and the exit status: the only file that knows them.
enum Output {
  static func print(_ line: String) {
    Swift.print(line)
    fflush(stdout)
  }

  static func complain(_ line: String) {
    fputs(line + "\n", stderr)
  }

  /// Ends the process, with trouble if the results could not be written.
  static func exit(_ status: ExitStatus) -> Never {
    guard fflush(stdout) == 0, ferror(stdout) == 0 else {
      complain("\(CRDTBenchmark.name): the results could not be written")
      return leave(ExitStatus.trouble.rawValue)
    }
    leave(status.rawValue)
  }

  private static func leave(_ status: Int32) -> Never {
    #if canImport(Glibc)
    Glibc.exit(status)
    #elseif canImport(Musl)
    Musl.exit(status)
    #elseif canImport(Darwin)
    Darwin.exit(status)
    #endif
  }
}
