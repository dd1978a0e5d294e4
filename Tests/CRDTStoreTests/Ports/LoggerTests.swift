import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@Suite("Loggers")
struct LoggerTests {
  @Test("A logger in memory keeps the contract, also one that marks its events")
  func recording() async {
    let logger = RecordingLogger()
    let found = await LoggerContract.check(logger) { logger.events }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("A logger of JSON lines keeps the contract, as a JSON parser reads it")
  func lines() async {
    let bytes = Recorded<[UInt8]>()
    let logger = JSONLinesLogger(clock: ManualClock()) { bytes.append($0) }
    let found = await LoggerContract.check(logger) { parse(bytes.values.flatMap { $0 }) }
    #expect(found.isEmpty, "\(found)")
    let all = String(decoding: bytes.values.flatMap { $0 }, as: UTF8.self)
    #expect(all.split(separator: "\n").count == bytes.values.count)
    #expect(!all.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{2028}" })
  }

  @Test("A logger to a descriptor keeps the contract, and drops what nobody reads")
  func descriptor() async throws {
    let pipe = Pipe()
    let text = Recorded<[UInt8]>()
    let end = Gate()
    // Not a task: what is read is written by tasks, which might take up all threads.
    Thread.detachNewThread {
      while true {
        let data = pipe.fileHandleForReading.availableData
        if data.isEmpty { return end.open() }
        text.append(Array(data))
      }
    }
    let logger = JSONLinesLogger(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    let found = await LoggerContract.check(logger) {
      let count = 13
      _ = await eventually { parse(text.values.flatMap { $0 }).count >= count }
      try? await Task.sleep(for: .milliseconds(20))
      return parse(text.values.flatMap { $0 })
    }
    #expect(found.isEmpty, "\(found)")
    try pipe.fileHandleForWriting.close()
    await end.wait()
    let broken = Pipe()
    try broken.fileHandleForReading.close()
    let orphan = JSONLinesLogger(descriptor: broken.fileHandleForWriting.fileDescriptor)
    for _ in 0..<3 { orphan.info("nobody hears this") }
    #expect(orphan.droppedCount == 3)
  }

  @Test("A line is as it is documented")
  func format() {
    let bytes = Recorded<[UInt8]>()
    let logger = JSONLinesLogger(clock: ManualClock()) { bytes.append($0) }
    logger.correlated("sync-17").warning(
      "sync.delayed", ["b": 3, "a": "x\"\u{1}", "c": true, "d": 1.5, "e": .number(.nan)])
    logger.correlated("outer").correlated("inner").error("bare")
    #expect(
      String(decoding: bytes.values[0], as: UTF8.self) == """
        {"time":1700000000000,"level":"warning","event":"sync.delayed","correlation":"sync-17",\
        "fields":{"a":"x\\"\\u0001","b":3,"c":true,"d":1.5,"e":"nan"}}

        """)
    #expect(
      String(decoding: bytes.values[1], as: UTF8.self) == """
        {"time":1700000000000,"level":"error","event":"bare","correlation":"inner"}

        """)
    NoLogger().info("dropped")
  }

  @Test("A closure that logs to its own logger is stopped, and told so")
  func logsWithin() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let own = Guarded<JSONLinesLogger?>(nil)
      let logger = JSONLinesLogger { _ in own.withLock { $0 }?.log(LogEvent(.info, "within")) }
      own.withLock { $0 = logger }
      logger.log(LogEvent(.info, "first"))
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(isOptimized || said.contains("must not log to the same logger"))
  }

  @Test("Loggers that break the contract are found out")
  func broken() async {
    for flaw in BrokenLogger.Flaw.allCases {
      let logger = BrokenLogger(flaw)
      let found = await impatiently { await LoggerContract.check(logger) { logger.inner.events } }
      #expect(!found.isEmpty, "\(flaw)")
    }
  }
}

/// A logger with a flaw.
private struct BrokenLogger: Logger {
  enum Flaw: CaseIterable {
    case dropsErrors, dropsFields, spoilsTexts, forgetsCorrelation, reorders
  }

  let inner = RecordingLogger()
  let held = Recorded<LogEvent>()
  let flaw: Flaw

  init(_ flaw: Flaw) {
    self.flaw = flaw
  }

  func log(_ event: LogEvent) {
    var event = event
    switch flaw {
    case .dropsErrors where event.level == .error: return
    case .dropsFields: event.fields = [:]
    case .spoilsTexts: event.name = String(event.name.filter(\.isASCII))
    case .forgetsCorrelation: event.correlation = nil
    case .reorders:
      held.append(event)
      if held.values.count % 2 == 0 {
        for event in held.values.suffix(2).reversed() { inner.log(event) }
      }
      return
    default: break
    }
    inner.log(event)
  }
}

/// The events in lines of JSON, read by a parser that isn't ours.
private func parse(_ bytes: [UInt8]) -> [LogEvent] {
  bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
    guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
      let level = (object["level"] as? String).flatMap(LogEvent.Level.init),
      let name = object["event"] as? String, object["time"] is NSNumber
    else { return nil }
    let fields = (object["fields"] as? [String: Any] ?? [:]).compactMapValues { value in
      switch value {
      case let text as String: LogEvent.Value.string(text)
      case let number as NSNumber: logValue(number)
      default: nil
      }
    }
    return LogEvent(level, name, fields, correlation: object["correlation"] as? String)
  }
}

private func logValue(_ number: NSNumber) -> LogEvent.Value {
  switch String(cString: number.objCType) {
  case "c", "B": .boolean(number.boolValue)
  case "d", "f": .number(number.doubleValue)
  default: .integer(number.int64Value)
  }
}
