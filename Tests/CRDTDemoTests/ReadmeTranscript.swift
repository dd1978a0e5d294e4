import CRDTTestSupport
import Testing

@testable import Toolkit
@testable import crdt_demo

/// The first transcript of a section of a page, and what comes of its commands.
struct ReadmeTranscript {
  /// What the page shows.
  var expected: String
  /// What the program shows.
  var actual: String
  /// What went to the standard error, or how commands ended that didn't do well.
  var trouble: String

  /// Does what a section shows, in a folder of its own.
  init(section title: String, of page: String = "Sources/crdt-demo/README.md") throws {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let text = String(
      decoding: try FileReader.read("\(root)/\(page)", sizeMax: 1 << 20), as: UTF8.self)
    let section = try #require(text.split(separator: "\n## \(title)\n").last)
    expected = String(try #require(section.split(separator: "```\n").dropFirst().first))
    let folder = try TemporaryFolder()
    let program = try DemoRun.path().split(separator: "/").dropLast().map { "/\($0)" }.joined()
    (actual, trouble) = ("", "")
    for line in expected.split(separator: "\n") where line.hasPrefix("$ ") {
      let command = line.dropFirst(2)
      let script = "cd '\(folder.path)' && PATH='\(program)':$PATH && \(command)"
      let run = try DemoRun.run("/bin/sh", ["-c", script])
      if run.status != 0 || run.errors != "" { trouble += "\(line): \(run.ending) \(run.errors)\n" }
      actual += "\(line)\n\(run.output)"
    }
  }
}
