/// A recorded history of edits of a text, from the text form that such traces are kept in.
///
/// The text is a head of lines `name value`, an empty line, and one line an edit. Positions and
/// lengths count Unicode scalars. Lines that begin with `#` in the head are remarks.
package struct EditingTrace: Sendable {
  /// Deletes scalars at a position, then inserts a string there.
  package struct Patch: Hashable, Sendable {
    package var position: Int
    package var deleteCount: Int
    package var inserted: String

    package init(position: Int, deleteCount: Int, inserted: String) {
      self.position = position
      self.deleteCount = deleteCount
      self.inserted = inserted
    }
  }

  /// Edits that one agent made after the merge of the transactions before.
  package struct Transaction: Hashable, Sendable {
    package var agent: Int
    /// Numbers of earlier transactions; none if the text was empty.
    package var parents: [Int]
    /// Each counts on those before it.
    package var patches: [Patch]
  }

  /// What is wrong with a trace, and where.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package var line: Int
    package var reason: String

    package var description: String { "line \(line): \(reason)" }
  }

  /// The values of the head, by name.
  package private(set) var header: [String: String] = [:]
  /// The transactions, parents first; of a sequential trace one.
  package private(set) var transactions: [Transaction] = []
  /// How many scalars are inserted, which bounds what can be deleted.
  private var insertedCount = 0

  /// How many agents there are: one more than the greatest number.
  package var agentCount: Int { (transactions.map(\.agent).max() ?? -1) + 1 }

  /// Whether the transactions have agents and parents.
  package var isConcurrent: Bool { header["kind"] == "concurrent" }

  /// A value of the head that is a number.
  package func number(_ name: String) -> Int? { header[name].flatMap { Int($0) } }

  /// The transactions up to some of them that were not yet seen, parents first.
  ///
  /// It marks them as seen.
  package func unseen(upTo last: [Int], seen: inout Set<Int>) -> [Int] {
    var found: [Int] = []
    var waiting = last
    while let transaction = waiting.popLast() {
      guard seen.insert(transaction).inserted else { continue }
      found.append(transaction)
      waiting += transactions[transaction].parents
    }
    return found.sorted()
  }
}

extension EditingTrace {
  package init(_ text: String) throws(Failure) {
    try self.init(utf8: Array(text.utf8))
  }

  /// Reads a trace from its UTF-8.
  package init(utf8 bytes: [UInt8]) throws(Failure) {
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
        if !isConcurrent { transactions = [Transaction(agent: 0, parents: [], patches: [])] }
      }
    }
    if isHead { throw Failure(line: number, reason: "No empty line ends the head.") }
    if let agent = transactions.map(\.agent).max(), agent >= transactions.count {
      throw Failure(line: number, reason: "There are fewer transactions than agents.")
    }
  }

  private mutating func readHead(_ line: inout TraceLine) throws(Failure) {
    if line.bytes.first == UInt8(ascii: "#") { return }
    let name = try line.word()
    let value = try line.rest()
    guard header.updateValue(value, forKey: name) == nil else {
      throw line.failure("The head has two values of \(name).")
    }
  }

  private mutating func readEdit(_ line: inout TraceLine) throws(Failure) {
    let kind = try line.word()
    guard kind != "@" else { return try beginTransaction(&line) }
    guard let current = transactions.indices.last else {
      throw line.failure("An edit stands before the first transaction.")
    }
    let patches = try line.patches(of: kind, insertedCount: insertedCount)
    insertedCount += patches.reduce(0) { $0 + $1.inserted.unicodeScalars.count }
    transactions[current].patches += patches
  }

  private mutating func beginTransaction(_ line: inout TraceLine) throws(Failure) {
    if !isConcurrent { throw line.failure("A sequential trace has no transactions.") }
    var transaction = Transaction(agent: try line.integer(), parents: [], patches: [])
    while !line.isAtEnd {
      let parent = try line.integer()
      guard parent < transactions.count else {
        throw line.failure("Transaction \(transactions.count) names \(parent) as a parent.")
      }
      transaction.parents.append(parent)
    }
    transactions.append(transaction)
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
    if word.isEmpty { throw failure("A value is missing.") }
    index = min(end + 1, bytes.endIndex)
    return word
  }

  mutating func rest() throws(EditingTrace.Failure) -> String {
    defer { index = bytes.endIndex }
    return try string(bytes[index...])
  }

  mutating func integer(upTo limit: Int = .max) throws(EditingTrace.Failure) -> Int {
    let word = try word()
    guard let value = Int(word), value >= 0 else { throw failure("\(word) isn't a number.") }
    if value > limit { throw failure("\(value) is more than the \(limit) that there can be.") }
    return value
  }

  /// The patches that the rest of an edit's line stands for.
  mutating func patches(
    of kind: String, insertedCount: Int
  ) throws(EditingTrace.Failure) -> [EditingTrace.Patch] {
    let position = try integer(upTo: insertedCount)
    let hasCount = ["d", "b", "x", "r"].contains(kind)
    let count = hasCount ? try integer(upTo: kind == "b" ? position + 1 : insertedCount) : 0
    let text = ["i", "t", "r"].contains(kind) ? try literal() : ""
    if !isAtEnd { throw failure("The line goes on after its last value.") }
    func patch(_ position: Int, _ count: Int, _ text: String) -> EditingTrace.Patch {
      EditingTrace.Patch(position: position, deleteCount: count, inserted: text)
    }
    switch kind {
    case "i", "d", "r": return [patch(position, count, text)]
    case "t": return text.unicodeScalars.enumerated().map { patch(position + $0, 0, String($1)) }
    case "b": return (0..<count).map { patch(position - $0, 1, "") }
    case "x": return Array(repeating: patch(position, 1, ""), count: count)
    default: throw failure("No edit is called \(kind).")
    }
  }

  /// A JSON string.
  private mutating func literal() throws(EditingTrace.Failure) -> String {
    guard next() == UInt8(ascii: "\"") else { throw failure("A string doesn't begin with \".") }
    var text: [UInt8] = []
    while let byte = next() {
      switch byte {
      case UInt8(ascii: "\""): return try string(text[...])
      case UInt8(ascii: "\\"): text += String(try escape()).utf8
      case 0..<0x20: throw failure("A string contains a control character.")
      default: text.append(byte)
      }
    }
    throw failure("A string doesn't end.")
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
    default: throw failure("A string contains an unknown escape.")
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
    throw failure("A string contains half a surrogate pair.")
  }

  private mutating func codeUnit() throws(EditingTrace.Failure) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = next().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw failure("A string contains \\u without four hexadecimal digits.")
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
      throw failure("The line isn't valid UTF-8.")
    }
    return string
  }
}
