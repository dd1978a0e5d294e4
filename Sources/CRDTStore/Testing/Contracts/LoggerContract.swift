public import CRDTStore

/// The contract of `Logger`.
public enum LoggerContract {
  /// Checks a logger that stores its events.
  ///
  /// - Parameters:
  ///   - logger: The logger to check, without events.
  ///   - events: Reads its stored events.
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(
    _ logger: any Logger, events: () async -> [LogEvent]
  ) async -> [ContractViolation] {
    var report = ContractReport("Logger")
    var expected: [LogEvent] = []
    for (number, text) in texts.enumerated() {
      let level = LogEvent.Level.allCases[number % LogEvent.Level.allCases.count]
      let fields: [String: LogEvent.Value] = [
        text: .string(text), "integer": -9_007_199_254_740_993, "number": 0.1, "no": false,
      ]
      expected.append(
        LogEvent(level, text, fields, correlation: number % 2 == 0 ? text : nil))
    }
    for event in expected { logger.log(event) }
    let kept = await events()
    report.expect(kept.count, is: expected.count, "every event is kept")
    for (found, wanted) in zip(kept, expected) {
      report.expect(found, is: wanted, "events are kept as they are, in their order")
    }
    await checkThreads(logger, after: kept.count, events, &report)
    return report.violations
  }

  /// Strings that incorrect escaping corrupts.
  private static let texts = [
    "plain", "", "\"quoted\"", "back\\slash", "two\nlines\r\n", "tab\t", "\u{0}\u{1}\u{1F}\u{7F}",
    "é e\u{301} ẞ", "👩‍👩‍👧‍👦", "\u{2028}\u{2029}\u{FEFF}", "</script>", "{\"a\":1}",
    String(repeating: "long ", count: 10_000),
  ]

  private static func checkThreads(
    _ logger: any Logger, after start: Int, _ events: () async -> [LogEvent],
    _ report: inout ContractReport
  ) async {
    let (tasks, each) = (4, 50)
    await withTaskGroup { group in
      for task in 0..<tasks {
        group.addTask {
          for number in 0..<each {
            logger.log(LogEvent(.info, "task \(task)", ["number": .integer(Int64(number))]))
          }
        }
      }
    }
    let kept = await events().dropFirst(start)
    report.expect(kept.count, is: tasks * each, "no event of several threads is lost or mixed")
    for task in 0..<tasks {
      let numbers = kept.filter { $0.name == "task \(task)" }.map { $0.fields["number"] }
      report.expect(
        numbers == (0..<each).map { .integer(Int64($0)) },
        "the events of one thread stay in order")
    }
  }
}
