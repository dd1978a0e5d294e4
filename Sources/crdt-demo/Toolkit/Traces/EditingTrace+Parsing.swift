extension EditingTrace {
  package init(_ text: String) throws(Failure) {
    try self.init(utf8: Array(text.utf8))
  }

  /// Reads a trace from its UTF-8.
  package init(utf8 bytes: [UInt8]) throws(Failure) {
    self.init()
    var isHead = true
    var number = 0
    let lines = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    for bytes in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      var line = TraceLine(bytes: bytes, number: number)
      if !isHead {
        try readEdit(&line)
      } else if !bytes.isEmpty {
        try readHead(&line)
      } else {
        isHead = false
        if !isConcurrent { try begin(Transaction(agent: 0, parents: [], line: number)) }
      }
    }
    if isHead { throw Failure(line: number, reason: "no empty line ends the head") }
    try checkCounts(atLine: number)
  }

  private mutating func readHead(_ line: inout TraceLine) throws(Failure) {
    if line.bytes.first == UInt8(ascii: "#") { return }
    let name = try line.word()
    let value = try line.rest()
    guard header.updateValue(value, forKey: name) == nil else {
      throw line.failure("the head has two values of \(name)")
    }
    if name == "kind", !["sequential", "concurrent"].contains(value) {
      throw line.failure("the kind must be sequential or concurrent")
    }
  }

  private mutating func readEdit(_ line: inout TraceLine) throws(Failure) {
    let kind = try line.word()
    guard kind != "@" else { return try beginTransaction(&line) }
    guard let current = transactions.indices.last else {
      throw line.failure("an edit stands before the first transaction: begin one by @ AGENT")
    }
    let limits = (inserted: insertedCount, patches: Self.patchesMax - patchCount)
    let patches = try line.patches(of: kind, limits)
    patchCount += patches.count
    for patch in patches {
      insertedCount += patch.inserted.unicodeScalars.count
      deletedCount += patch.deleteCount
    }
    let firstPatch = transactions[current].patches.count
    transactions[current].lines.append((firstPatch: firstPatch, line: line.number))
    transactions[current].patches += patches
  }

  private mutating func beginTransaction(_ line: inout TraceLine) throws(Failure) {
    if !isConcurrent {
      throw line.failure("a sequential trace has no transactions: set its kind to concurrent")
    }
    let agent = try line.integer()
    guard agent < Self.maximumAgents else {
      throw line.failure("agents are numbered from 0 to \(Self.maximumAgents - 1)")
    }
    var transaction = Transaction(agent: agent, parents: [], line: line.number)
    while !line.isAtEnd {
      let parent = try line.integer()
      guard parent < transactions.count else {
        throw line.failure(
          "transaction \(transactions.count) names \(parent) as a parent: parents come before it")
      }
      transaction.parents.append(parent)
    }
    try begin(transaction)
  }

  private mutating func begin(_ transaction: Transaction) throws(Failure) {
    transactions.append(transaction)
    agentCount = max(agentCount, transaction.agent + 1)
    stepCount += 1 + transaction.parents.count
    guard stepCount <= Self.stepsMax / agentCount else {
      throw Failure(
        line: transaction.line,
        reason: "there are too many transactions and parents for \(agentCount) agents")
    }
  }

  /// Compares what was read with what the head says, to notice a trace that was cut off.
  private func checkCounts(atLine number: Int) throws(Failure) {
    if agentCount > transactions.count {
      throw Failure(line: number, reason: "there are fewer transactions than agents")
    }
    let counts = [
      ("agents", agentCount), ("transactions", transactions.count), ("patches", patchCount),
      ("inserted", insertedCount), ("deleted", deletedCount),
    ]
    for (name, count) in counts {
      guard let value = header[name], value != "\(count)" else { continue }
      throw Failure(
        line: number,
        reason: "the head says \(value) for \(name), but there are \(count): "
          + "the trace may be cut off")
    }
  }
}

/// A line that is read from left to right.
private struct TraceLine {
  let bytes: ArraySlice<UInt8>
  let number: Int
  private var index: Int

  init(bytes: ArraySlice<UInt8>, number: Int) {
    self.bytes = bytes
    self.number = number
    index = bytes.startIndex
  }

  var isAtEnd: Bool { index == bytes.endIndex }

  func failure(_ reason: String) -> EditingTrace.Failure {
    EditingTrace.Failure(line: number, reason: reason)
  }

  /// The bytes up to a space or the end of the line; the space is passed over.
  mutating func word() throws(EditingTrace.Failure) -> String {
    let end = bytes[index...].firstIndex(of: UInt8(ascii: " ")) ?? bytes.endIndex
    let word = try string(bytes[index..<end])
    if word.isEmpty { throw failure("a value is missing") }
    index = min(end + 1, bytes.endIndex)
    return word
  }

  mutating func rest() throws(EditingTrace.Failure) -> String {
    defer { index = bytes.endIndex }
    return try string(bytes[index...])
  }

  mutating func integer(upTo limit: Int = .max) throws(EditingTrace.Failure) -> Int {
    let word = try word()
    guard let value = Int(word), value >= 0 else { throw failure("\(word) isn't a number") }
    if value > limit { throw failure("\(value) is more than the \(limit) that there can be") }
    return value
  }

  /// The patches that the rest of an edit's line stands for.
  ///
  /// It is refused if there would be too many, or if it deletes more than can be there.
  mutating func patches(
    of kind: String, _ limits: (inserted: Int, patches: Int)
  ) throws(EditingTrace.Failure) -> [EditingTrace.Patch] {
    let position = try integer(upTo: limits.inserted)
    let hasCount = ["d", "b", "x", "r"].contains(kind)
    let count = hasCount ? try integer(upTo: kind == "b" ? position + 1 : limits.inserted) : 0
    let text = ["i", "t", "r"].contains(kind) ? try literal() : ""
    let made = ["b", "x"].contains(kind) ? count : kind == "t" ? text.unicodeScalars.count : 1
    guard made <= limits.patches else {
      throw failure("there are more than \(EditingTrace.patchesMax.grouped) patches")
    }
    if !isAtEnd { throw failure("the line goes on after its last value") }
    func patch(_ position: Int, _ count: Int, _ text: String) -> EditingTrace.Patch {
      EditingTrace.Patch(position: position, deleteCount: count, inserted: text)
    }
    switch kind {
    case "i", "d", "r": return [patch(position, count, text)]
    case "t": return text.unicodeScalars.enumerated().map { patch(position + $0, 0, String($1)) }
    case "b": return (0..<count).map { patch(position - $0, 1, "") }
    case "x": return Array(repeating: patch(position, 1, ""), count: count)
    default: throw failure("no edit is called \(kind): there are i, t, d, b, x and r")
    }
  }

  /// A JSON string.
  private mutating func literal() throws(EditingTrace.Failure) -> String {
    guard next() == UInt8(ascii: "\"") else { throw failure("a string must begin with \"") }
    var text: [UInt8] = []
    while let byte = next() {
      switch byte {
      case UInt8(ascii: "\""): return try string(text[...])
      case UInt8(ascii: "\\"): text += String(try escape()).utf8
      case 0..<0x20: throw failure("a string contains a control character: escape it")
      default: text.append(byte)
      }
    }
    throw failure("a string doesn't end")
  }

  /// The scalar that an escape sequence stands for, after its backslash.
  private mutating func escape() throws(EditingTrace.Failure) -> Unicode.Scalar {
    switch next().map({ Character(Unicode.Scalar($0)) }) {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "\"": return "\""
    case "\\": return "\\"
    case "/": return "/"
    case "u": return try scalar()
    default: throw failure("a string contains an unknown escape")
    }
  }

  private mutating func scalar() throws(EditingTrace.Failure) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if UTF16.isLeadSurrogate(first), next() == UInt8(ascii: "\\"), next() == UInt8(ascii: "u") {
      let second = try codeUnit()
      if UTF16.isTrailSurrogate(second) {
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
      }
    }
    throw failure("a string contains half a surrogate pair")
  }

  private mutating func codeUnit() throws(EditingTrace.Failure) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = next().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw failure("a string contains \\u without four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  private mutating func next() -> UInt8? {
    guard index < bytes.endIndex else { return nil }
    defer { index += 1 }
    return bytes[index]
  }

  private func string(_ bytes: ArraySlice<UInt8>) throws(EditingTrace.Failure) -> String {
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw failure("the line isn't valid UTF-8")
    }
    return string
  }
}
