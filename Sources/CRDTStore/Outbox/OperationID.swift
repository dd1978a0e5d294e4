public import CRDTKit

extension Outbox {
  /// The identifier of an outbox operation: the event of its commit, and the changed record.
  ///
  /// It stays the same however often the operation is sent. It is the *idempotency key*: a
  /// server that stores the identifiers of applied operations applies each one once. The text
  /// form is sent:
  ///
  ///     00000000000000a1-17/notes/n1
  ///
  /// The replica precedes the hyphen, and the event's counter follows it. A `/` or `%` in the
  /// collection's name is written `%2F` or `%25`; the record's name is unchanged.
  public struct OperationID: Hashable, Sendable {
    /// The event of the commit.
    public let dot: Dot
    /// The record that the operation changes.
    public let record: Document.RecordID

    /// Creates an identifier.
    public init(dot: Dot, record: Document.RecordID) {
      self.dot = dot
      self.record = record
    }
  }
}

extension Outbox.OperationID: Comparable {
  /// Orders the operations of one replica by creation.
  ///
  /// Operations of one commit, and of several replicas, have an order that is the same
  /// everywhere.
  public static func < (left: Outbox.OperationID, right: Outbox.OperationID) -> Bool {
    if left.dot.counter != right.dot.counter { return left.dot.counter < right.dot.counter }
    if left.dot.replica != right.dot.replica { return left.dot.replica < right.dot.replica }
    return left.record < right.record
  }
}

extension Outbox.OperationID: LosslessStringConvertible {
  /// Creates an identifier from its text form; `nil` if the text is not valid.
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
    // Only one spelling is valid, because other systems compare identifiers as text.
    return "\(dot.replica)-\(dot.counter)" == text ? dot : nil
  }

  /// The greatest counter of an event.
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

extension Outbox.OperationID: Codable {
  /// Decodes the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = Outbox.OperationID(text) else {
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
  /// Whether a document can hold a record with these names.
  var hasUsableNames: Bool {
    record.utf8.count <= Document.Value.maximumNameLength
      && collection.utf8.count <= Document.Value.maximumNameLength
  }
}

extension Outbox.OperationID {
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
