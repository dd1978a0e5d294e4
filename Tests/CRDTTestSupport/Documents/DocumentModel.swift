import CRDTKit

/// Documents in their plainest form, to check the real ones against: events that
/// say what they had seen, what they write and what they replace.
///
/// What is known is a set of events; what stands is what was written and not
/// replaced by any event that is known. There are no tables, dots, deltas or
/// bytes, and counters are the single amounts that were counted.
package struct DocumentModel: Sendable {
  package struct EventName: Hashable, Sendable {
    let replica: ReplicaID
    let number: Int
  }

  package struct WriteName: Hashable, Sendable {
    let event: EventName
    let number: Int
  }

  enum Content: Hashable, Sendable {
    case created
    case deleted
    case value(Document.Value, of: Document.Alternative?)
    case object
    case set
    case element(Document.Value)
    case count(Int64)
  }

  struct Write: Hashable, Sendable {
    let name: WriteName
    let timestamp: HybridTimestamp
    let record: DocumentRecord
    let path: [String]
    let content: Content
  }

  struct Event: Hashable, Sendable {
    let name: EventName
    /// All events that the writer knew.
    let past: Set<EventName>
    var writes: [Write] = []
    var replaced: Set<WriteName> = []
  }

  private(set) var events: [EventName: Event] = [:]
  /// What was written and not replaced, in the order of the stamps.
  private(set) var standing: [DocumentRecord: [Write]] = [:]
  /// The event that is being made.
  private var current: Event?

  package init() {}

  package var known: Set<EventName> { Set(events.keys) }

  /// Takes in all events that another model knows.
  package mutating func merge(_ other: DocumentModel) {
    events.merge(other.events) { own, _ in own }
    var replaced: Set<WriteName> = []
    for event in events.values { replaced.formUnion(event.replaced) }
    standing = [:]
    for event in events.values {
      for write in event.writes where !replaced.contains(write.name) {
        standing[write.record, default: []].append(write)
      }
    }
    for record in standing.keys { standing[record]?.sort() }
  }
}

extension DocumentModel {
  /// Makes an event, unless the body changes nothing.
  mutating func makeEvent<Result>(
    by replica: ReplicaID, _ body: (inout DocumentModel) -> Result
  ) -> Result {
    let number = events.keys.lazy.filter { $0.replica == replica }.count + 1
    current = Event(name: EventName(replica: replica, number: number), past: known)
    let result = body(&self)
    if let event = current, !(event.writes.isEmpty && event.replaced.isEmpty) {
      events[event.name] = event
    }
    current = nil
    return result
  }

  mutating func write(
    _ content: Content, at path: [String], of record: DocumentRecord, at timestamp: HybridTimestamp
  ) {
    guard let event = current else { return }
    let write = Write(
      name: WriteName(event: event.name, number: event.writes.count), timestamp: timestamp,
      record: record, path: path, content: content)
    current?.writes.append(write)
    standing[record, default: []].append(write)
    standing[record]?.sort()
  }

  mutating func replace(_ writes: [Write]) {
    for write in writes { current?.replaced.insert(write.name) }
    for record in Set(writes.map(\.record)) {
      standing[record]?.removeAll { current?.replaced.contains($0.name) == true }
    }
  }

  /// Whether the event of one write knew another.
  func had(_ write: Write, seen other: Write) -> Bool {
    events[write.name.event]?.past.contains(other.name.event)
      ?? (current?.past.contains(other.name.event) == true)
  }

  func writes(in record: DocumentRecord) -> [Write] { standing[record] ?? [] }

  func writes(at path: [String], of record: DocumentRecord) -> [Write] {
    writes(in: record).filter { $0.path == path && $0.isOfField }
  }

  func elements(at path: [String], of record: DocumentRecord) -> [Write] {
    writes(in: record).filter { write in
      if case .element = write.content { write.path == path } else { false }
    }
  }

  /// What stands beneath a field: its elements, and all of its fields.
  func writes(beneath path: [String], of record: DocumentRecord) -> [Write] {
    elements(at: path, of: record)
      + writes(in: record).filter { $0.path.count > path.count && $0.path.starts(with: path) }
  }
}

extension DocumentModel.Write {
  /// Whether it is about a field as such, not about an element or the record.
  var isOfField: Bool {
    switch content {
    case .value, .object, .set, .count: true
    case .created, .deleted, .element: false
    }
  }

  /// Whether it is one of the values that a rule chooses from.
  var isCandidate: Bool {
    switch content {
    case .value, .object, .set: true
    default: false
    }
  }

  /// The element, if it is about one.
  var element: Document.Value? {
    if case .element(let element) = content { element } else { nil }
  }

  /// What the value was written in place of.
  var ancestor: Document.Alternative? {
    if case .value(_, of: let ancestor) = content { ancestor } else { nil }
  }

  var isContainer: Bool { content == .object || content == .set }

  /// The value as rules compare it: objects and sets as empty ones.
  var compared: Document.Value {
    switch content {
    case .value(let value, of: _): value
    case .set: .array([])
    default: .object([:])
    }
  }

  var alternative: Document.Alternative { Document.Alternative(compared, at: timestamp) }
}

extension DocumentModel.Write: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    if left.timestamp != right.timestamp { return left.timestamp < right.timestamp }
    return (left.name.event.number, left.name.number)
      < (right.name.event.number, right.name.number)
  }
}
