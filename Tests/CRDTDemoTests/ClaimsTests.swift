import Foundation
import Testing

/// What is promised in prose, and what is said to show it.
@Suite("Claims")
struct ClaimsTests {
  private static let root = PackageFiles.root

  /// The files beneath a folder that end with a suffix, with what they hold.
  private static func texts(in folder: String, _ suffix: String) -> [(name: String, text: String)] {
    PackageFiles.texts(in: folder, suffix).map { ($0.path.last ?? "", $0.text) }
  }

  private static let tests = texts(in: "Tests", ".swift")
  private static let articles = texts(in: "Sources", ".md")
  private static let commands = texts(in: "Sources/crdt-demo", ".swift")

  /// What an article holds, by its name, or another page, by its path.
  private static func page(_ name: String) -> String? {
    articles.first { $0.name == name && name != "README.md" }?.text
      ?? (try? String(contentsOf: root.appending(path: name), encoding: .utf8))
  }

  /// The cells of the rows of a table's body.
  private static func rows(of text: Substring) -> [[String]] {
    text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
      line.replacing("\\|", with: "\u{0}").split(separator: "|")
        .map { $0.trimmingCharacters(in: .whitespaces).replacing("\u{0}", with: "|") }
    }
  }

  /// What stands between backticks.
  private static func code(in text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// The suites and tests of each file: the words after `struct` and `func`.
  private static let suites = tests.map { file, text in
    var (types, tests): ([Substring], Set<Substring>) = ([], [])
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = Substring(line).split(separator: " ")
      guard let place = words.firstIndex(where: { $0 == "struct" || $0 == "func" }),
        let name = words.dropFirst(place + 1).first
      else { continue }
      if words[place] == "struct" {
        types.append(name)
      } else if let end = name.firstIndex(where: { $0 == "(" || $0 == "<" }) {
        tests.insert(name[..<end])
      }
    }
    return (file: file, types: types, tests: tests)
  }

  /// Whether a suite with such a name is there, and the test of it that is named.
  private static func hasSuite(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    return suites.contains { suite in
      (suite.file.contains(parts[0]) || suite.types.contains { $0.contains(parts[0]) })
        && (parts.count < 2 || suite.tests.contains(parts[1]))
    }
  }

  /// Whether what is said to show a claim is there.
  private static func isThere(_ evidence: String) -> Bool {
    let words = evidence.split(separator: " ").map(String.init)
    if let place = words.firstIndex(of: "--filter") {
      return place + 1 < words.count && hasSuite(words[place + 1])
    }
    if let place = words.firstIndex(of: "crdt-demo"), place + 1 < words.count {
      return commands.contains { $0.text.contains("\"\(words[place + 1])\"") }
    }
    if evidence.hasPrefix(".ci/") {
      return FileManager.default.fileExists(atPath: root.appending(path: evidence).path)
    }
    return hasSuite(evidence)
  }

  @Test(
    "Each guarantee names a test or command that is there",
    arguments: [
      ("README.md", "## What is guaranteed", "## Speed", 10),
      (".github/GUARANTEES.md", "# Guarantees", "## What is not promised", 36),
    ])
  func guarantees(_ page: String, from: String, to: String, countMin: Int) throws {
    let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
    let start = try #require(text.range(of: from))
    let end = try #require(text.range(of: to))
    let rows = Self.rows(of: text[start.upperBound..<end.lowerBound]).dropFirst()
    #expect(rows.count >= countMin)
    for row in rows {
      let evidence = Self.code(in: row.last ?? "")
      #expect(row.count == 2 && !evidence.isEmpty, "\(row)")
      for name in evidence { #expect(Self.isThere(name), "\(name), of \(row[0])") }
    }
  }

  @Test("The package depends on no other, and imports what the system has")
  func dependencies() throws {
    let manifest = try String(
      contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    #expect(!manifest.contains(".package("))
    let system: Set = [
      "Glibc", "Darwin", "Musl", "Bionic", "Synchronization", "Dispatch", "Foundation",
      "FoundationEssentials", "Toolkit",
    ]
    for file in Self.texts(in: "Sources", ".swift") {
      for line in file.text.split(separator: "\n") {
        let words = line.split(separator: " ").drop { $0.hasPrefix("@") || $0 == "public" }
          .drop { $0 == "package" || $0 == "internal" }
        guard words.count == 2, words.first == "import", let name = words.last else { continue }
        #expect(
          system.contains(String(name)) || name.hasPrefix("CRDT"), "\(file.name): \(line)")
      }
    }
  }

  @Test("Each claim of the list stands where it says, and what shows it is there")
  func claims() throws {
    let list = try String(
      contentsOf: Self.root.appending(path: "Tests/claims.md"), encoding: .utf8)
    let rows = Self.rows(of: list[...]).dropFirst()
    #expect(rows.count > 30)
    for row in rows {
      try #require(row.count == 3, "\(row)")
      let page = try #require(Self.page(row[0]), "\(row[0])")
      let words = page.split { $0.isWhitespace }.joined(separator: " ")
      #expect(words.contains(row[1]), "\(row[0]) doesn't say: \(row[1])")
      let evidence = Self.code(in: row[2])
      #expect(!evidence.isEmpty)
      for name in evidence { #expect(Self.isThere(name), "\(name), of \(row[1])") }
    }
  }
}
