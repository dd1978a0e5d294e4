import Toolkit

/// Reads a trace, line by line, and never holds more than a piece of it.
struct TraceReader {
  /// How many events a trace may have.
  static let countMax = 5_000_000
  /// How long a line may be, in bytes.
  static let lineMax = 1 << 16

  /// What the trace is called.
  let name: String
  /// Adds some bytes; says that there are more.
  private let fill: (inout [UInt8]) throws(CommandFailure) -> Bool
  private var bytes: [UInt8] = []
  private var place = 0
  private var isWhole = false
  /// The time of the event before.
  private var time: UInt64 = 0
  /// How many lines were read.
  private(set) var line = 0

  /// Reads a file, or the standard input if its name is `-`.
  init(path: String) throws(CommandFailure) {
    let file = try CommandFailure.naming(path) { () throws(CommandFailure) in
      try FilePieces(path)
    }
    self.init(name: path) { (bytes) throws(CommandFailure) in
      try CommandFailure.naming(path) { () throws(CommandFailure) in try file.read(onto: &bytes) }
    }
  }

  /// Reads what is in memory.
  init(_ bytes: [UInt8], name: String) {
    self.init(name: name) { _ in false }
    self.bytes = bytes
  }

  private init(name: String, fill: @escaping (inout [UInt8]) throws(CommandFailure) -> Bool) {
    self.name = name
    self.fill = fill
  }

  static func events(in path: String) throws(CommandFailure) -> [TraceEvent] {
    var reader = try TraceReader(path: path)
    return try reader.rest()
  }

  /// All events that were not read yet.
  mutating func rest() throws(CommandFailure) -> [TraceEvent] {
    var events: [TraceEvent] = []
    while let event = try next() { events.append(event) }
    return events
  }

  /// The next event, or `nil` after the last.
  mutating func next() throws(CommandFailure) -> TraceEvent? {
    guard let text = try nextLine() else { return nil }
    guard line <= Self.countMax else {
      throw trouble("the trace has more than \(Self.countMax.grouped) lines")
    }
    let event: TraceEvent
    do {
      event = try TraceEvent(parsing: text)
    } catch {
      throw CommandFailure("\(name):\(line):\(error.column): \(error.reason)")
    }
    guard time <= event.time else {
      throw trouble("the time \(event.time) is before that of the line above, \(time)")
    }
    time = event.time
    return event
  }

  private func trouble(_ reason: String) -> CommandFailure {
    CommandFailure("\(name):\(line): \(reason)")
  }

  private mutating func nextLine() throws(CommandFailure) -> [UInt8]? {
    var searched = place
    while true {
      if let end = bytes[searched...].firstIndex(of: 0x0A) { return try takeLine(to: end) }
      searched = bytes.count
      guard bytes.count - place <= Self.lineMax else { return try takeLine(to: bytes.count) }
      if isWhole { return place < bytes.count ? try takeLine(to: bytes.count) : nil }
      bytes.removeFirst(place)
      searched -= place
      place = 0
      isWhole = try !fill(&bytes)
    }
  }

  private mutating func takeLine(to end: Int) throws(CommandFailure) -> [UInt8] {
    line += 1
    guard end - place <= Self.lineMax else {
      throw trouble("the line is longer than \(Self.lineMax.grouped) bytes")
    }
    defer { place = min(end + 1, bytes.count) }
    return Array(bytes[place..<end])
  }
}
