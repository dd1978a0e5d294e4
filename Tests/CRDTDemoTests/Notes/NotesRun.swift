import CRDTTestSupport

@testable import crdt_demo

/// Runs of `crdt-demo notes` on stores in a folder of a test's own.
struct NotesRun {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The path of a store, or of anything else in the folder.
  func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  func run(_ store: String, _ words: String..., input: String = "") throws -> DemoRun {
    try run(store, words, input: input)
  }

  func run(_ store: String, _ words: [String], input: String = "") throws -> DemoRun {
    try DemoRun.run(["notes", "-s", path(store)] + words, input: input)
  }

  /// What a command that does well shows.
  @discardableResult
  func output(_ store: String, _ words: String..., input: String = "") throws -> String {
    let run = try run(store, words, input: input)
    guard run.status == 0, run.errors == "" else {
      throw Failure(description: "\(words): \(run.ending), \(run.errors)")
    }
    return run.output
  }

  /// Syncs by way of a folder, and shows what came of it.
  @discardableResult
  func sync(_ store: String) throws -> String {
    try output(store, "sync", "--folder", path("relay"))
  }

  /// Runs a script of the shell that knows the program and the folder.
  func shell(_ script: String) throws -> DemoRun {
    let program = try DemoRun.path().split(separator: "/").dropLast().map { "/\($0)" }.joined()
    return try DemoRun.run(
      "/bin/sh", ["-c", "cd '\(folder.path)' && export PATH='\(program)':$PATH\n\(script)"])
  }
}
