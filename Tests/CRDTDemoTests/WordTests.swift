import Foundation
import Testing

/// Words of this project's own that were replaced by those of the field.
@Suite("Words")
struct WordTests {
  /// What is not written in comments and articles, and what is written there instead.
  private static let words: [Substring: String] = [
    "bell": "condition", "bells": "conditions", "happening": "step result", "heard": "received",
    "hears": "receives", "news": "changes, new events", "partner": "peer", "partners": "peers",
    "pauser": "pause schedule", "peril": "fault", "perils": "faults", "reaper": "crash schedule",
    "sabotage": "fault injection", "standstill": "paused node", "tell of": "report",
    "tells of": "reports", "told of": "notified of, received", "trouble": "failure",
  ]

  /// How types were named, and how they are now.
  private static let names: [Substring: String] = [
    "Bell": "Condition", "EditMark": "LastEdit", "Happening": "StepResult",
    "ParcelTraffic": "DeltaStream", "Patience": "Timeout", "Pauser": "PauseSchedule",
    "Perils": "Faults", "Reaper": "CrashSchedule",
    "Sabotage": "FaultInjection", "ShadowList": "duplicateKeyDots", "Sheet": "PageSlot",
    "Standstill": "PausedNode", "Survivors": "CounterRuns", "ToldHeads": "KnownVersions",
    "Trouble": "CommandFailure",
  ]

  private static func letters(of text: Substring) -> [Substring] {
    text.utf8.split { $0 < 0x80 && !(0x61...0x7A).contains($0 | 0x20) }.map { Substring($0) }
  }

  /// Where a file uses such words: the line, the word, and what to write instead.
  ///
  /// In a Swift file, prose is what follows `//`; elsewhere, what is outside blocks of code.
  private static func findings(in text: String, isSwift: Bool) -> [(Int, Substring, String)] {
    var found: [(Int, Substring, String)] = []
    var (previous, isCode) = ("", false)
    for (line, number) in zip(text.split(separator: "\n", omittingEmptySubsequences: false), 1...) {
      if !isSwift, line.hasPrefix("```") { isCode.toggle() }
      let start = isSwift ? line.range(of: "//")?.lowerBound ?? line.endIndex : line.startIndex
      for name in letters(of: line[..<start]) {
        if let other = names[name] { found.append((number, name, other)) }
      }
      if isCode || start == line.endIndex { previous = "" }
      let spans = line[start...].split(separator: "`", omittingEmptySubsequences: false)
      for (span, text) in spans.enumerated() where !isCode && span % 2 == 0 {
        for word in letters(of: text).map({ $0.lowercased() }) {
          for use in [Substring(word), "\(previous) \(word)"] {
            if let other = words[use] { found.append((number, use, other)) }
          }
          previous = word
        }
      }
    }
    return found
  }

  @Test("Each of these words is found, across lines too, but not within code")
  func finding() {
    let text = "struct Reaper {  // news, `heard`\n  let news = 1  // told\n  // of it\n}"
    let swift = Self.findings(in: text, isSwift: true).map { "\($0.0) \($0.1)" }
    #expect(swift == ["1 Reaper", "1 news", "3 told of"])
    let page = Self.findings(in: "News\n```\nnews\n```\nA bell.", isSwift: false)
    #expect(page.map { "\($0.0) \($0.1)" } == ["1 news", "5 bell"])
  }

  @Test("Comments, articles and names of types use the field's words")
  func words() throws {
    let page = PackageFiles.root.appending(path: "README.md")
    var files = [("README.md", try String(contentsOf: page, encoding: .utf8))]
    for (folder, suffix) in [("Sources", ".swift"), ("Sources", ".md"), (".github", ".md")] {
      let texts = PackageFiles.texts(in: folder, suffix)
      #expect(texts.count > 4)
      files += texts.map { ("\(folder)/\($0.path.joined(separator: "/"))", $0.text) }
    }
    for (path, text) in files {
      for (line, word, other) in Self.findings(in: text, isSwift: path.hasSuffix(".swift")) {
        Issue.record("\(path):\(line): say \(other), not \(word)")
      }
    }
  }
}
