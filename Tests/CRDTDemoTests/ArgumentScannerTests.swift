import Testing

@testable import Toolkit

@Suite("The argument scanner")
struct ArgumentScannerTests {
  private static let options = [
    ArgumentScanner.Option(name: "seed", letter: "s"),
    ArgumentScanner.Option(name: "replicas", letter: "r"),
    ArgumentScanner.Option(name: "reorder"),
    ArgumentScanner.Option(name: "quiet", letter: "q", takesValue: false),
  ]

  private func scan(_ words: String...) throws(UsageError) -> [ArgumentScanner.Argument] {
    var scanner = ArgumentScanner(words, options: Self.options)
    var found: [ArgumentScanner.Argument] = []
    while let argument = try scanner.next() { found.append(argument) }
    return found
  }

  @Test("takes a value in each of its forms")
  func valueForms() throws {
    let seed = [ArgumentScanner.Argument.option(name: "seed", value: "7")]
    #expect(try scan("--seed=7") == seed)
    #expect(try scan("--seed", "7") == seed)
    #expect(try scan("-s7") == seed)
    #expect(try scan("-s", "7") == seed)
    #expect(try scan("-qs7") == [.flag(name: "quiet")] + seed)
    #expect(try scan("--seed=") == [.option(name: "seed", value: "")])
    #expect(try scan("--seed=a=b") == [.option(name: "seed", value: "a=b")])
    #expect(try scan("--seed", "--") == [.option(name: "seed", value: "--")])
  }

  @Test("takes a long option that is cut short where it is the only one")
  func abbreviations() throws {
    #expect(try scan("--rep", "2") == [.option(name: "replicas", value: "2")])
    let message = "option '--re' is ambiguous; possibilities: '--replicas' '--reorder'"
    #expect(throws: UsageError(message)) {
      try scan("--re", "2")
    }
  }

  @Test("takes operands among the options, and nothing else after --")
  func operands() throws {
    #expect(
      try scan("a", "-q", "-", "--", "-q", "--seed") == [
        .operand("a"), .flag(name: "quiet"), .operand("-"), .operand("-q"), .operand("--seed"),
      ])
    #expect(try scan() == [])
    #expect(try scan("") == [.operand("")])
  }

  @Test("says what is wrong in getopt's words")
  func refusals() {
    let cases: [(words: [String], message: String)] = [
      (["--x"], "unrecognized option '--x'"),
      (["--x=3"], "unrecognized option '--x'"),
      (["--=3"], "unrecognized option '--'"),
      (["-x"], "invalid option -- 'x'"),
      (["-qx"], "invalid option -- 'x'"),
      (["--seed"], "option '--seed' requires an argument"),
      (["-s"], "option requires an argument -- 's'"),
      (["--quiet=1"], "option '--quiet' doesn't allow an argument"),
    ]
    for (words, message) in cases {
      var scanner = ArgumentScanner(words, options: Self.options)
      #expect(throws: UsageError(message), "\(words)") {
        while try scanner.next() != nil {}
      }
    }
  }
}
