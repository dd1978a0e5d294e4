import CRDTKit
import Toolkit

/// Reads records from JSON of any size: an object of collections, which are objects of
/// records, which are objects of fields.
///
/// One record at a time is in memory, with the names of all.
struct JSONRecordReader {
  /// Adds some more bytes; says whether there were any.
  typealias Source = (_ bytes: inout [UInt8]) throws(CommandFailure) -> Bool

  /// A record, and its fields, all of which can be written.
  typealias Record = (id: Document.RecordID, fields: [String: Document.Value])

  private enum State {
    case start
    case whole(isFirst: Bool)
    case collection(String, isFirst: Bool)
    case end
  }

  /// How many bytes a record or a name may have: as many as a transfer between peers.
  private let recordBytesMax: Int
  /// How many bytes were gone through.
  private(set) var bytesRead = 0
  private let read: Source
  private var bytes: [UInt8] = []
  /// Where the next byte is among them, and in the text.
  private var place = 0
  private var position = JSONPlace()
  private var state = State.start
  private var collections: Set<String> = []
  private var records: Set<String> = []

  init(recordBytesMax: Int = 1 << 30, _ read: @escaping Source) {
    self.recordBytesMax = recordBytesMax
    self.read = read
  }

  /// Whether there are no more records, as far as that was read.
  var isAtEnd: Bool {
    if case .end = state { true } else { false }
  }

  /// The next record; `nil` at the end of the text.
  mutating func next() throws(CommandFailure) -> Record? {
    while true {
      switch state {
      case .start:
        try skipMark()
        try open("the whole")
        state = .whole(isFirst: true)
      case .whole(let isFirst):
        if try ends(isFirst: isFirst) {
          state = .end
          continue
        }
        let name = try name(among: \.collections)
        try open("collection '\(name.visible)'")
        records = []
        state = .collection(name, isFirst: true)
      case .collection(let collection, let isFirst):
        if try ends(isFirst: isFirst) {
          state = .whole(isFirst: false)
          continue
        }
        let name = try name(among: \.records)
        state = .collection(collection, isFirst: false)
        return (Document.RecordID(name, in: collection), try fields(of: name, in: collection))
      case .end:
        try skipSpace()
        if try nextByte() != nil { throw failure("\(try found()) after the end of the value") }
        return nil
      }
    }
  }
}

extension JSONRecordReader {
  /// Takes the bracket of an object.
  private mutating func open(_ what: String) throws(CommandFailure) {
    try skipSpace()
    guard let byte = try nextByte() else { throw failure("expected a value, not \(try found())") }
    guard byte == UInt8(ascii: "{") else { throw failure("\(what) must be an object") }
    pass(1)
  }

  /// Takes an object's closing bracket, or else the comma before the next member.
  private mutating func ends(isFirst: Bool) throws(CommandFailure) -> Bool {
    try skipSpace()
    if try nextByte() == UInt8(ascii: "}") {
      pass(1)
      return true
    }
    if isFirst { return false }
    guard try nextByte() == UInt8(ascii: ",") else {
      throw failure("expected ',' or '}' in the object, not \(try found())")
    }
    pass(1)
    try skipSpace()
    if try nextByte() == UInt8(ascii: "}") { throw failure("a comma stands before '}'") }
    return false
  }

  /// Takes a member's name, which is new, and the colon after it.
  private mutating func name(
    among names: WritableKeyPath<Self, Set<String>>
  ) throws(CommandFailure) -> String {
    guard try nextByte() == UInt8(ascii: "\"") else {
      throw failure("expected a member's name in quotation marks, not \(try found())")
    }
    let length = try stringLength(from: 0)
    let text = try text(length)
    let name = text.string(of: text.root)
    guard name.utf8.count <= Document.Value.maximumNameLength else {
      throw failure("a name has more than \(Document.Value.maximumNameLength) bytes")
    }
    let (isNew, known) = self[keyPath: names].insert(name)
    guard isNew else {
      throw failure(
        known.utf8.elementsEqual(name.utf8)
          ? "the name \(name.jsonQuoted) occurs twice"
          : "another name in the object is the same text in another spelling")
    }
    pass(length)
    try skipSpace()
    guard try nextByte() == UInt8(ascii: ":") else {
      throw failure("expected ':', not \(try found())")
    }
    pass(1)
    return name
  }

  /// Takes the fields of a record.
  private mutating func fields(
    of record: String, in collection: String
  ) throws(CommandFailure) -> [String: Document.Value] {
    try skipSpace()
    let length = try valueLength()
    guard length > 0 else { throw failure("expected a value, not \(try found())") }
    let text = try text(length)
    let value: Document.Value
    do throws(JSONFailure) { value = try text.documentValue() } catch {
      throw failure(error)
    }
    guard case .object(let fields) = value else {
      throw failure("record '\(record.visible)' in '\(collection.visible)' must be an object")
    }
    do throws(CommandFailure) { try value.checkNames() } catch { throw failure(error.description) }
    for (name, value) in fields where value.depth >= Document.Value.maximumDepth {
      throw failure(
        "field '\(name.visible)' of '\(record.visible)' is nested more than 31 levels deep")
    }
    pass(length)
    return fields
  }

  /// The text that the next bytes are.
  private func text(_ length: Int) throws(CommandFailure) -> JSONText {
    do throws(JSONFailure) {
      return try JSONText(parsing: Array(bytes[place..<place + length]))
    } catch {
      throw failure(error)
    }
  }

  private mutating func skipMark() throws(CommandFailure) {
    guard try byte(2) != nil, bytes[place...].starts(with: JSONText.mark) else { return }
    pass(JSONText.mark.count)
  }

  private mutating func skipSpace() throws(CommandFailure) {
    while let byte = try nextByte(), [0x20, 0x0A, 0x09, 0x0D].contains(byte) { pass(1) }
  }

  private mutating func nextByte() throws(CommandFailure) -> UInt8? { try byte(0) }

  /// A byte from here on, if there are so many.
  private mutating func byte(_ offset: Int) throws(CommandFailure) -> UInt8? {
    while place + offset >= bytes.count {
      guard offset < recordBytesMax else {
        throw failure("a record or name begins here that has more than \(recordBytesMax) bytes")
      }
      bytes.removeFirst(place)
      place = 0
      guard try read(&bytes) else { return nil }
    }
    return bytes[place + offset]
  }

  /// Goes on by some bytes.
  private mutating func pass(_ count: Int) {
    position.pass(bytes[place..<place + count])
    place += count
    bytesRead += count
  }

  /// Where a string ends that begins at an offset: behind the quotation mark, or the text's
  /// end.
  private mutating func stringLength(from start: Int) throws(CommandFailure) -> Int {
    var end = start + 1
    while let byte = try byte(end) {
      end += 1
      if byte == UInt8(ascii: "\"") { return end }
      if byte == UInt8(ascii: "\\"), try self.byte(end) != nil { end += 1 }
    }
    return end
  }

  /// How long the value is that begins here, if it is one: as far as its brackets go.
  private mutating func valueLength() throws(CommandFailure) -> Int {
    var (end, depth) = (0, 0)
    while let byte = try byte(end) {
      switch byte {
      case UInt8(ascii: "\""): end = try stringLength(from: end)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        end += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return end }
        depth -= 1
        end += 1
        if depth == 0 { return end }
      case UInt8(ascii: ",") where depth == 0: return end
      default: end += 1
      }
    }
    return end
  }

  /// What stands here, for people.
  private mutating func found() throws(CommandFailure) -> String {
    _ = try byte(3)
    return JSONParser(Array(bytes[place...].prefix(4))).found
  }

  private func failure(_ reason: String) -> CommandFailure {
    failure(JSONFailure(line: 1, column: 1, reason: reason))
  }

  /// A failure in a part of the text that begins here.
  private func failure(_ failure: JSONFailure) -> CommandFailure {
    var failure = failure
    if failure.line == 1 { failure.column += position.column - 1 }
    failure.line += position.line - 1
    return CommandFailure(failure.description)
  }
}
