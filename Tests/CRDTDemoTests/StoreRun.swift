import CRDTTestSupport

/// Runs of `crdt-demo store` on one store, in a folder of a test's own.
struct StoreRun {
  let folder: TemporaryFolder
  /// The path of the store.
  var path: String { folder.path + "/store" }

  init(schema: String? = nil) throws {
    folder = try TemporaryFolder()
    var options = ["--replica=00000000000000aa"]
    if let schema { options.append("--schema=\(try folder.write("schema.json", schema))") }
    let made = try run("init", options)
    guard made.status == 0 else { throw Failure(description: made.errors) }
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  func run(_ command: String, _ words: String..., input: String = "") throws -> DemoRun {
    try run(command, words, input: input)
  }

  func run(_ command: String, _ words: [String], input: String = "") throws -> DemoRun {
    try DemoRun.run(["store", command, path] + words, input: input)
  }

  /// What a command that does well shows.
  func output(_ command: String, _ words: String..., input: String = "") throws -> String {
    let run = try run(command, words, input: input)
    guard run.status == 0, run.errors == "" else {
      throw Failure(description: "\(command) \(words): \(run.ending), \(run.errors)")
    }
    return run.output
  }
}
