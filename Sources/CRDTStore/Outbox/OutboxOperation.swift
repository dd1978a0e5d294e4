public import CRDTKit

extension Outbox {
  /// A change of one record for a server.
  ///
  /// The commit that makes the change queues it, and the outbox keeps it until the server has
  /// answered.
  public struct Operation: Hashable, Sendable, Identifiable {
    /// The identifier, which the server receives.
    public let id: Outbox.OperationID
    /// The counters of the commit's events, by the replica of ``id``.
    ///
    /// If a later commit was merged into the operation, the range ends with its last event.
    public var dots: ClosedRange<UInt64>
    /// Whether the record is created, updated or deleted.
    public var kind: Outbox.OperationKind
    /// When the commit was made, in milliseconds since 1970 by the clock here.
    public var createdMilliseconds: UInt64
    /// The changes of the record's fields, in order.
    ///
    /// No path contains another one. For a deletion, these are the changes that its commit
    /// made before, and those of later commits that deleted the record again. The server
    /// receives them only if the record stays.
    public var changes: [Document.FieldChange]
    /// The server version of the record that the change is based on; `nil` if the server has
    /// no record, or gives no version.
    public var baseVersion: String?
    /// How many attempts the server postponed or failed.
    public var attempts: Int
    /// When it may be sent again, in milliseconds since 1970; 0 means at once.
    ///
    /// After a server failure, this is the time of the last failure that counted.
    public var nextAttemptMilliseconds: UInt64
    /// Whether it is pending or a dead letter.
    public var state: State

    /// Whether an operation is pending or a dead letter.
    public enum State: Hashable, Sendable {
      /// It waits to be sent, or for an answer.
      case pending
      /// It is a dead letter, which is kept until you retry or discard it.
      case dead(Outbox.Failure)
    }

    /// Creates an operation that has not been sent.
    public init(
      id: Outbox.OperationID, dots: ClosedRange<UInt64>, kind: Outbox.OperationKind,
      createdMilliseconds: UInt64, changes: [Document.FieldChange], baseVersion: String? = nil
    ) {
      self.id = id
      self.dots = dots
      self.kind = kind
      self.createdMilliseconds = createdMilliseconds
      self.changes = changes
      self.baseVersion = baseVersion
      attempts = 0
      nextAttemptMilliseconds = 0
      state = .pending
    }
  }
}

extension Outbox.Operation {
  /// The record that is changed.
  public var record: Document.RecordID { id.record }

  /// Why the operation is a dead letter; `nil` while it is pending.
  public var failure: Outbox.Failure? {
    if case .dead(let failure) = state { failure } else { nil }
  }

  /// Whether it is a dead letter that the server may have applied.
  ///
  /// An answer to an earlier attempt may have been lost before the server postponed it.
  var mayBeDone: Bool {
    switch failure?.cause {
    case .serverFailed, .attemptsExhausted: true
    case .rejected, .corruptLocalState, nil: false
    }
  }

  /// Whether one of the operation's commits made an event.
  ///
  /// Pass only events that changed the operation's record.
  public func covers(_ dot: Dot) -> Bool {
    dot.replica == id.dot.replica && dots.contains(dot.counter)
  }

  /// The envelope that a server receives.
  public var envelope: Outbox.Envelope {
    Outbox.Envelope(
      id: id, kind: kind, createdMilliseconds: createdMilliseconds, changes: changes,
      baseVersion: baseVersion)
  }
}

extension Outbox {
  /// The kind of an operation.
  @nonexhaustive
  public enum OperationKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// Creates the record with the given fields.
    case create
    /// Changes some fields of the record.
    case update
    /// Deletes the record.
    case delete
  }
}

/// The form for inspection or for storage elsewhere: the envelope and the bookkeeping.
extension Outbox.Operation: Codable {
  private enum CodingKeys: String, CodingKey {
    case firstEvent, lastEvent, before, attempts, nextAttemptAtMillis, status, failure
  }

  private enum Status: String, Codable {
    case pending, dead
  }

  /// Encodes the members of the ``envelope``, and `firstEvent`, `lastEvent`, `before` (the
  /// previous values by path), `attempts`, `nextAttemptAtMillis`, `status` and `failure`.
  public func encode(to encoder: any Encoder) throws {
    try envelope.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(dots.lowerBound, forKey: .firstEvent)
    try container.encode(dots.upperBound, forKey: .lastEvent)
    var before = container.nestedContainer(keyedBy: MemberKey.self, forKey: .before)
    for change in changes {
      let key = MemberKey(change.path.description)
      try before.encodeIfPresent(change.before?.sayingMoments, forKey: key)
    }
    try container.encode(attempts, forKey: .attempts)
    try container.encode(nextAttemptMilliseconds, forKey: .nextAttemptAtMillis)
    try container.encode(failure == nil ? Status.pending : .dead, forKey: .status)
    try container.encodeIfPresent(failure, forKey: .failure)
  }

  /// Decodes an operation.
  ///
  /// Missing bookkeeping has the values of an operation that was never sent.
  public init(from decoder: any Decoder) throws {
    let envelope = try Outbox.Envelope(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let own = envelope.id.dot.counter
    let first = try container.decodeIfPresent(UInt64.self, forKey: .firstEvent) ?? own
    let last = try container.decodeIfPresent(UInt64.self, forKey: .lastEvent) ?? max(first, own)
    let attempts = try container.decodeIfPresent(Int32.self, forKey: .attempts) ?? 0
    guard first <= last, attempts >= 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .lastEvent, in: container, debugDescription: "The bookkeeping makes no sense.")
    }
    let before = try Self.before(in: container)
    self.init(
      id: envelope.id, dots: first...last, kind: envelope.kind,
      createdMilliseconds: envelope.createdMilliseconds,
      changes: envelope.changes.map { $0.replacing(before: before[$0.path]) },
      baseVersion: envelope.baseVersion)
    self.attempts = Int(attempts)
    nextAttemptMilliseconds =
      try container.decodeIfPresent(UInt64.self, forKey: .nextAttemptAtMillis) ?? 0
    if try container.decodeIfPresent(Status.self, forKey: .status) == .dead {
      state = .dead(try container.decode(Outbox.Failure.self, forKey: .failure))
    }
  }

  private static func before(
    in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> [FieldPath: Document.Value] {
    guard container.contains(.before) else { return [:] }
    let nested = try container.nestedContainer(keyedBy: MemberKey.self, forKey: .before)
    var before: [FieldPath: Document.Value] = [:]
    for name in nested.allKeys {
      before[FieldPath(parsing: name.stringValue)] = try nested.decode(
        Document.Value.self, forKey: name)
    }
    return before
  }
}

/// The stored form of an operation: a version, and all members.
extension Outbox.Operation {
  /// The version of the stored form.
  static var formatVersion: UInt8 { 1 }

  /// Encodes the stored form.
  ///
  /// - Complexity: O(size of the changes).
  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 128)
    writer.write(Self.formatVersion)
    id.encode(to: &writer)
    writer.write(varint: dots.lowerBound)
    writer.write(varint: dots.upperBound - dots.lowerBound)
    kind.encode(to: &writer)
    writer.write(varint: createdMilliseconds)
    changes.encode(to: &writer)
    baseVersion.encode(to: &writer)
    writer.write(varint: UInt64(attempts))
    writer.write(varint: nextAttemptMilliseconds)
    failure.encode(to: &writer)
    return writer.finish()
  }

  /// Decodes the stored form.
  ///
  /// - Complexity: O(`bytes.count`).
  package init(decoding bytes: [UInt8]) throws(DecodingFailure) {
    var reader = ByteReader(bytes)
    let version = try reader.readByte()
    guard version == Self.formatVersion else {
      throw DecodingFailure(.unsupportedVersion(version), at: 0)
    }
    let id = try Outbox.OperationID(from: &reader)
    let start = reader.offset
    let first = try reader.readVarint()
    let (last, overflows) = first.addingReportingOverflow(try reader.readVarint())
    guard !overflows, last <= Outbox.OperationID.counterMax else {
      throw DecodingFailure(.outOfBounds("the events of an operation"), at: start)
    }
    self.init(
      id: id, dots: first...last, kind: try Outbox.OperationKind(from: &reader),
      createdMilliseconds: try reader.readVarint(),
      changes: try [Document.FieldChange](from: &reader),
      baseVersion: try String?(from: &reader))
    let attempts = try reader.readVarint()
    guard attempts <= UInt64(Int32.max) else {
      throw DecodingFailure(.outOfBounds("the attempts of an operation"), at: reader.offset)
    }
    self.attempts = Int(attempts)
    nextAttemptMilliseconds = try reader.readVarint()
    if let failure = try Outbox.Failure?(from: &reader) { state = .dead(failure) }
    guard reader.remaining == 0 else {
      throw DecodingFailure(.trailingBytes, at: reader.offset)
    }
  }
}

extension Outbox.OperationKind: CanonicalCodable {
  /// Writes a byte: 0, 1 and 2 in the order of the cases.
  public func encode(to writer: inout ByteWriter) {
    switch self {
    case .create: writer.write(0 as UInt8)
    case .update: writer.write(1 as UInt8)
    case .delete: writer.write(2 as UInt8)
    }
  }

  /// Reads a byte.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 0: self = .create
    case 1: self = .update
    case 2: self = .delete
    default: throw DecodingFailure(.invalidValue("the kind of an operation"), at: start)
    }
  }
}
