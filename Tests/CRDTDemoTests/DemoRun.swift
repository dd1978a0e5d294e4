import Synchronization
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

/// One run of the built program: what it wrote, and how it ended.
struct DemoRun {
  var output: String
  var errors: String
  var ending: Syscalls.Ending

  /// The status it exited with.
  var status: Int32? {
    if case .exited(let status) = ending { status } else { nil }
  }

  /// The lines that it wrote as results.
  var lines: [Substring] { output.split(separator: "\n") }

  /// Runs the program to its end; one that does not end is killed and an error.
  static func run(_ arguments: String..., input: String = "") throws -> DemoRun {
    try run(arguments, input: input)
  }

  static func run(
    _ arguments: [String], input: String = "", output: Int32? = nil
  ) throws -> DemoRun {
    try run(path(), arguments, input: input, output: output)
  }

  /// Runs a program of the system's to its end.
  static func run(
    _ program: String, _ arguments: [String], input: String = "", output: Int32? = nil
  ) throws -> DemoRun {
    let run = try starting.withLock { _ in try start(program, arguments, output: output) }
    defer { for end in [run.output, run.errors] { Syscalls.closeDescriptor(end) } }
    _ = try Syscalls.write(run.input, Array(input.utf8)[...])
    Syscalls.closeDescriptor(run.input)
    let texts = try readAll([run.output, run.errors], of: run.process)
    return DemoRun(output: texts[0], errors: texts[1], ending: try end(of: run.process))
  }

  /// Runs start one at a time, so that none inherits another's pipes.
  private static let starting = Mutex(())

  private struct Started {
    var process: Int32
    var input: Int32
    var output: Int32
    var errors: Int32
  }

  private static func start(
    _ program: String, _ arguments: [String], output: Int32?
  ) throws -> Started {
    Syscalls.prepareProcess()
    let inputs = try Syscalls.makePipe()
    let outputs = try Syscalls.makePipe()
    let errors = try Syscalls.makePipe()
    defer {
      for end in [inputs.reading, outputs.writing, errors.writing] { Syscalls.closeDescriptor(end) }
    }
    let process = try Syscalls.spawn(
      program, arguments: [program] + arguments, input: inputs.reading,
      output: output ?? outputs.writing, errors: errors.writing)
    return Started(
      process: process, input: inputs.writing, output: outputs.reading, errors: errors.reading)
  }

  /// Whether git is installed.
  static var hasGit: Bool {
    (try? run("/usr/bin/env", ["git", "--version"]).status) == 0
  }

  /// Whether the system has a file that takes nothing.
  static var hasFullDevice: Bool {
    guard let descriptor = try? openFullDevice() else { return false }
    Syscalls.closeDescriptor(descriptor)
    return true
  }

  static func openFullDevice() throws -> Int32 {
    try Syscalls.openForWriting("/dev/full")
  }

  /// Reads the pipes to their ends.
  private static func readAll(_ pipes: [Int32], of process: Int32) throws -> [String] {
    var bytes: [[UInt8]] = pipes.map { _ in [] }
    var open = Set(pipes.indices)
    var patience = Timeout(.seconds(120))
    while !open.isEmpty {
      let places = open.sorted()
      let ready = try Syscalls.wait(reading: places.map { pipes[$0] }, milliseconds: 100)
      if !ready.contains(where: \.canRead) { patience.spend(.milliseconds(100)) }
      for (place, readiness) in zip(places, ready) where readiness.canRead {
        if try Syscalls.read(pipes[place], onto: &bytes[place]) == 0 { open.remove(place) }
      }
      if patience.isOver {
        Syscalls.kill(process)
        throw CommandFailure("the program does not end")
      }
    }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func end(of process: Int32) throws -> Syscalls.Ending {
    for _ in 0..<5_000 {
      if let ending = try Syscalls.reap(process) { return ending }
      Syscalls.sleep(milliseconds: 2)
    }
    Syscalls.kill(process)
    throw CommandFailure("the program closed its pipes and does not end")
  }

  /// The program is built beside the tests, or a few folders above them.
  static func path() throws -> String {
    var folder = try #require(CommandLine.arguments.first)[...]
    for _ in 0..<5 {
      guard let slash = folder.lastIndex(of: "/") else { break }
      folder = folder[..<slash]
      if let descriptor = try? Syscalls.openForReading("\(folder)/crdt-demo") {
        Syscalls.closeDescriptor(descriptor)
        return "\(folder)/crdt-demo"
      }
    }
    throw CommandFailure("the program crdt-demo is not beside the tests")
  }
}
