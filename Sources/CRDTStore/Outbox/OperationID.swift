public import CRDTKit

/// Which operation of an outbox it is: the event of the commit that made it, and
/// the record that it is about.
///
/// It stays the same however often the operation is sent, so a server that keeps
/// the identifiers of what it took makes each operation have one effect: it is the
/// *idempotency key*. The text form is what travels:
///
///     00000000000000a1-17/notes/n1
///
/// Before the hyphen stands the replica, after it the event's counter; a `/` or `%`
/// in the collection's name is written `%2F` or `%25`, the record's name as it is.
public struct OperationID: Hashable, Sendable {
  /// The event of the commit.
  public let dot: Dot
  /// The record that the operation is about.
  public let record: Document.RecordID

  /// Creates the identifier of a commit's operation.
  public init(dot: Dot, record: Document.RecordID) {
    self.dot = dot
    self.record = record
  }
}

extension OperationID: Comparable {
  /// Orders operations of one replica as they were made; those of one commit, and
  /// of several replicas, in an order that is the same everywhere.
  public static func < (left: OperationID, right: OperationID) -> Bool {
    if left.dot.counter != right.dot.counter { return left.dot.counter < right.dot.counter }
    if left.dot.replica != right.dot.replica { return left.dot.replica < right.dot.replica }
    return left.record < right.record
  }
}

extension OperationID: LosslessStringConvertible {
  /// Creates an identifier from its text form; `nil` if the text is none.
  ///
  /// - Complexity: O(length of the text).
  public init?(_ description: String) {
    let parts = description.utf8.split(
      separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let dot = Self.dot(Substring(parts[0])),
      let collection = Self.unescaped(Substring(parts[1]))
    else { return nil }
    let record = Document.RecordID(String(Substring(parts[2])), in: collection)
    guard record.hasUsableNames else { return nil }
    self.init(dot: dot, record: record)
  }

  /// The text form.
  public var description: String {
    "\(dot.replica)-\(dot.counter)/\(Self.escaped(record.collection))/\(record.record)"
  }

  private static func dot(_ text: Substring) -> Dot? {
    guard let hyphen = text.firstIndex(of: "-"), let replica = ReplicaID(String(text[..<hyphen])),
      let counter = UInt64(text[text.index(after: hyphen)...]),
      (1...counterMax).contains(counter)
    else { return nil }
    let dot = Dot(replica, counter)
    // One spelling only: identifiers are compared as texts elsewhere.
    return "\(dot.replica)-\(dot.counter)" == text ? dot : nil
  }

  /// The greatest counter that an event has.
  static var counterMax: UInt64 { 1 << 48 - 1 }

  private static func escaped(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") })
    else { return name }
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "/": text += "%2F"
      case "%": text += "%25"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func unescaped(_ text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var name = ""
    var rest = text.unicodeScalars
    while let scalar = rest.popFirst() {
      guard scalar == "%" else {
        name.unicodeScalars.append(scalar)
        continue
      }
      switch String(rest.prefix(2)) {
      case "2F": name += "/"
      case "25": name += "%"
      default: return nil
      }
      rest = rest.dropFirst(2)
    }
    return name
  }
}

extension OperationID: Codable {
  /// Decodes the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = OperationID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription:
          "An operation is named '<replica>-<counter>/<collection>/<record>', not '\(text)'.")
    }
    self = id
  }

  /// Encodes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Document.RecordID {
  /// Whether a document can hold a record of the name.
  var hasUsableNames: Bool {
    record.utf8.count <= Document.Value.nameLengthMax
      && collection.utf8.count <= Document.Value.nameLengthMax
  }
}

extension OperationID {
  func encode(to writer: inout ByteWriter) {
    dot.replica.encode(to: &writer)
    writer.write(varint: dot.counter)
    record.collection.encode(to: &writer)
    record.record.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let dot = Dot(try ReplicaID(from: &reader), try reader.readVarint())
    guard (1...Self.counterMax).contains(dot.counter) else {
      throw DecodingFailure(.outOfBounds("the counter of an operation"), at: start)
    }
    let collection = try String(from: &reader)
    let record = Document.RecordID(try String(from: &reader), in: collection)
    guard record.hasUsableNames else {
      throw DecodingFailure(.outOfBounds("the name of a record"), at: start)
    }
    self.init(dot: dot, record: record)
  }
}
