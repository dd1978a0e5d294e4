package import CRDTKit
package import CRDTStore

/// A minimal server that applies operations: a value without time or network.
///
/// Each change raises the version of its record. An operation is applied if it is based on
/// the record's current version. A repeated operation gets the same answer as before. The
/// settable properties inject faults.
package struct ReferenceServer: Sendable {
  /// A record and the number of its last change, counted over all records.
  struct Stored: Sendable {
    var version: UInt64 = 0
    var fields: [String: Document.Value] = [:]
    var isDeleted = false
    var changed: UInt64 = 0
    /// When it and its fields were last changed, in milliseconds.
    var modified: UInt64 = 0
    var fieldTimes: [String: UInt64] = [:]
  }

  /// Which modification times a server reports.
  package enum Times: CaseIterable, Sendable {
    case none, ofRecords, ofFields
  }

  /// The applied operations in order, including repetitions.
  package private(set) var effects: [Outbox.Envelope] = []
  /// The server's objections to fields, by path.
  ///
  /// An operation that changes such a field is rejected.
  package var rejectedFields: [FieldPath: String] = [:]
  /// How often the server postpones operations on a record before it processes them.
  package var delaysLeft: [Document.RecordID: Int] = [:]
  /// Which modification times it reports.
  package var times = Times.none
  /// The time of its clock in milliseconds, which is the modification time of all that an
  /// operation changes.
  package var now: UInt64 = 0
  /// The retry delay of postponed operations.
  package var delayHint: Duration?

  private var records: [Document.RecordID: Stored] = [:]
  private var order: [UInt64: Document.RecordID] = [:]
  private var changeCount: UInt64 = 0
  private var accepted: [Outbox.OperationID: Outbox.Outcome] = [:]

  /// Creates a server without records.
  package init() {}
}

extension ReferenceServer {
  /// A record in the form that clients receive; `nil` if it never existed.
  package func record(_ id: Document.RecordID) -> Outbox.ServerRecord? {
    records[id].map { stored in
      Outbox.ServerRecord(
        record: id, version: "\(stored.version)",
        fields: stored.isDeleted ? [:] : stored.fields, isDeleted: stored.isDeleted,
        modifiedMilliseconds: times == .none ? nil : stored.modified,
        fieldMilliseconds: times == .ofFields ? stored.fieldTimes : [:])
    }
  }

  /// Applies operations, one after another.
  package mutating func push(_ operations: [Outbox.Envelope]) -> [Outbox.Answer] {
    operations.map { Outbox.Answer($0.id, outcome(of: $0)) }
  }

  /// Forgets its answers, so that a repeated operation is applied again.
  package mutating func forgetOutcomes() { accepted = [:] }

  private mutating func outcome(of operation: Outbox.Envelope) -> Outbox.Outcome {
    if let before = accepted[operation.id] { return before }
    if let left = delaysLeft[operation.record], left > 0 {
      delaysLeft[operation.record] = left - 1
      return .retry(after: delayHint, message: "busy")
    }
    let paths = operation.changes.map(\.path) + operation.edits.keys.sorted()
    let issues = paths.compactMap { path in
      rejectedFields[path].map { Outbox.FieldIssue(path, $0) }
    }
    guard issues.isEmpty else { return .rejected(message: "not valid", issues: issues) }
    let stored = records[operation.record]
    guard stored != nil || operation.kind == .create else {
      return .rejected(message: "there is no such record", issues: [])
    }
    if let server = record(operation.record), operation.baseVersion != server.version {
      return .conflict(server: server)
    }
    var changed = stored ?? Stored()
    if let issue = changed.apply(operation) {
      return .rejected(message: "not possible", issues: [issue])
    }
    let version = store(changed, as: operation.record)
    effects.append(operation)
    let outcome = Outbox.Outcome.accepted(serverVersion: "\(version)")
    accepted[operation.id] = outcome
    return outcome
  }

  private mutating func store(_ record: Stored, as id: Document.RecordID) -> UInt64 {
    var record = record
    order[record.changed] = nil
    changeCount += 1
    record.changed = changeCount
    record.version += 1
    record.modified = now
    let old = records[id].flatMap { $0.isDeleted ? nil : $0.fields } ?? [:]
    record.fieldTimes = Dictionary(
      record.fields.map { name, value in
        (name, old[name] == value ? records[id]?.fieldTimes[name] ?? now : now)
      }, uniquingKeysWith: { $1 })
    order[changeCount] = id
    records[id] = record
    return record.version
  }

  /// Changes fields of a record as another client would, or creates it.
  package mutating func edit(
    _ id: Document.RecordID, _ fields: [String: Document.Value], isDeleted: Bool = false
  ) {
    var record = records[id] ?? Stored()
    record.fields.merge(fields) { $1 }
    record.isDeleted = isDeleted
    _ = store(record, as: id)
  }

  /// The records of a collection that have changed since a cursor was given.
  ///
  /// - Returns: The page; `nil` if the server did not issue the cursor.
  package func pull(_ request: Outbox.PullRequest) -> Outbox.PullPage? {
    let start: UInt64
    switch request.cursor {
    case nil: start = 0
    case let cursor? where cursor.count == 8:
      start = cursor.reduce(0) { $0 << 8 | UInt64($1) }
    default: return nil
    }
    let changes = order.filter { $0.key > start && $0.value.collection == request.collection }
      .sorted { $0.key < $1.key }
    let page = changes.prefix(request.limit)
    let end = page.last?.key ?? start
    return Outbox.PullPage(
      records: page.compactMap { record($0.value) },
      cursor: (0..<8).map { UInt8(truncatingIfNeeded: end >> (56 - 8 * UInt64($0))) },
      hasMore: page.count < changes.count)
  }
}

extension ReferenceServer.Stored {
  /// Applies an operation, or returns the field that can't be changed this way.
  mutating func apply(_ operation: Outbox.Envelope) -> Outbox.FieldIssue? {
    switch operation.kind {
    case .delete:
      isDeleted = true
      return nil
    case .create: if isDeleted { fields = [:] }
    case .update: break
    }
    isDeleted = false
    for change in operation.changes {
      if let issue = apply(change) { return issue }
    }
    for (path, edits) in operation.edits.sorted(by: { $0.key < $1.key }) {
      guard let value = fields.value(at: path)?.applying(edits) else {
        return Outbox.FieldIssue(path, "the edits do not fit what the field holds")
      }
      if let issue = apply(Document.FieldChange(path, .assign(value, before: nil))) {
        return issue
      }
    }
    return nil
  }

  private mutating func apply(_ change: Document.FieldChange) -> Outbox.FieldIssue? {
    var value: Document.Value? = .object(fields)
    let problem = Self.change(&value, at: change.path.names[...], by: change.change)
    if let problem { return Outbox.FieldIssue(change.path, problem) }
    if case .object(let fields)? = value { self.fields = fields }
    return nil
  }

  private static func change(
    _ value: inout Document.Value?, at path: ArraySlice<String>,
    by change: Document.FieldChange.Kind
  ) -> String? {
    guard let name = path.first else { return Self.change(&value, by: change) }
    var fields: [String: Document.Value] = [:]
    if case .object(let old)? = value { fields = old }
    var field = fields[name]
    if let problem = Self.change(&field, at: path.dropFirst(), by: change) { return problem }
    fields[name] = field
    value = .object(fields)
    return nil
  }

  private static func change(
    _ value: inout Document.Value?, by change: Document.FieldChange.Kind
  ) -> String? {
    switch change {
    case .assign(let new, _): value = new
    case .remove: value = nil
    case .increment(let amount):
      var count: Int64 = 0
      if case .int(let old)? = value { count = old }
      let (sum, overflows) = count.addingReportingOverflow(amount)
      if overflows { return "the number is too great" }
      value = .int(sum)
    case .insert(let elements): value = .array(Self.sorted(elements, joining: value))
    case .take(let elements):
      value = .array(Self.sorted([], joining: value).filter { !elements.contains($0) })
    }
    return nil
  }

  private static func sorted(
    _ elements: [Document.Value], joining value: Document.Value?
  ) -> [Document.Value] {
    var all = Set(elements)
    if case .array(let old)? = value { all.formUnion(old) }
    return all.sorted()
  }
}
