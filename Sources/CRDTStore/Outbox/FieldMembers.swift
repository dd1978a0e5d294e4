public import CRDTKit

/// The changes of an envelope, sorted into its members.
struct FieldMembers {
  var payload: [FieldPath: Document.Value] = [:]
  var increments: [FieldPath: Int64] = [:]
  var inserted: [FieldPath: [Document.Value]] = [:]
  var removed: [FieldPath: [Document.Value]] = [:]
  var edits: [FieldPath: [Outbox.Edit]] = [:]
  /// The changed paths without repetition, in the order of the changes.
  var dirtyFields: [FieldPath] = []

  init(_ changes: [Document.FieldChange], _ edits: [FieldPath: [Outbox.Edit]] = [:]) {
    let changes = changes.map(\.sayingMoments)
    var seen: Set<FieldPath> = []
    for change in changes {
      if seen.insert(change.path).inserted { dirtyFields.append(change.path) }
      switch change.change {
      case .assign(let value, _): payload[change.path] = value
      case .remove: break
      case .increment(let amount): increments[change.path] = amount
      case .insert(let elements): inserted[change.path, default: []].add(elements)
      case .take(let elements):
        // An earlier insertion is dropped; a later one inserts the element again.
        let left = inserted.removeValue(forKey: change.path)?.filter { !elements.contains($0) }
        if let left, !left.isEmpty { inserted[change.path] = left }
        removed[change.path, default: []].add(elements)
      }
    }
    self.edits = edits.mapValues { $0.map(\.sayingMoments) }
    dirtyFields += edits.keys.filter { seen.insert($0).inserted }.sorted()
  }
}

extension [Document.Value] {
  /// Adds the elements that are missing.
  fileprivate mutating func add(_ elements: [Document.Value]) {
    if isEmpty { self = elements } else { append(contentsOf: elements.filter { !contains($0) }) }
  }
}

extension FieldMembers {
  private typealias Keys = Outbox.Envelope.CodingKeys

  func encode(
    to container: inout KeyedEncodingContainer<Outbox.Envelope.CodingKeys>
  ) throws {
    try Self.encode(payload, as: .payload, to: &container)
    try Self.encode(increments, as: .increments, to: &container)
    try Self.encode(inserted, as: .inserted, to: &container)
    try Self.encode(removed, as: .removed, to: &container)
    try Self.encode(edits, as: .edits, to: &container)
    try container.encode(dirtyFields, forKey: .dirtyFields)
  }

  private static func encode<Content: Encodable>(
    _ members: [FieldPath: Content], as key: Keys, to container: inout KeyedEncodingContainer<Keys>
  ) throws {
    guard !members.isEmpty else { return }
    var nested = container.nestedContainer(keyedBy: MemberKey.self, forKey: key)
    for (path, content) in members.sorted(by: { $0.key < $1.key }) {
      try nested.encode(content, forKey: MemberKey(path.description))
    }
  }

  init(from container: KeyedDecodingContainer<Outbox.Envelope.CodingKeys>) throws {
    payload = try Self.decode(.payload, from: container)
    increments = try Self.decode(.increments, from: container)
    inserted = try Self.decode(.inserted, from: container)
    removed = try Self.decode(.removed, from: container)
    edits = try Self.decode(.edits, from: container)
    dirtyFields = try container.decodeIfPresent([FieldPath].self, forKey: .dirtyFields) ?? []
  }

  private static func decode<Content: Decodable>(
    _ key: Keys, from container: KeyedDecodingContainer<Keys>
  ) throws -> [FieldPath: Content] {
    guard container.contains(key), try !container.decodeNil(forKey: key) else { return [:] }
    let nested = try container.nestedContainer(keyedBy: MemberKey.self, forKey: key)
    var members: [FieldPath: Content] = [:]
    for name in nested.allKeys {
      let path = FieldPath(parsing: name.stringValue)
      guard path.isUsable else {
        throw DecodingError.dataCorruptedError(
          forKey: name, in: nested, debugDescription: "No field of a record has that path.")
      }
      let content = try nested.decode(Content.self, forKey: name)
      guard members.updateValue(content, forKey: path) == nil else {
        throw DecodingError.dataCorruptedError(
          forKey: name, in: nested, debugDescription: "One field is there in two spellings.")
      }
    }
    return members
  }

  /// The changes that the members stand for.
  func changes(
    in container: KeyedDecodingContainer<Outbox.Envelope.CodingKeys>
  ) throws -> [Document.FieldChange] {
    var changes: [Document.FieldChange] = []
    for path in paths {
      let assigned = payload[path].map { Document.FieldChange.Kind.assign($0, before: nil) }
      let kinds = [
        assigned, increments[path].map { .increment($0) },
        removed[path].map { .take($0) }, inserted[path].map { .insert($0) },
      ].compactMap { $0 }
      let isSet = assigned == nil && increments[path] == nil
      if kinds.isEmpty, edits[path] != nil { continue }
      guard kinds.count < 2 || isSet, edits[path] == nil else {
        throw DecodingError.dataCorruptedError(
          forKey: .dirtyFields, in: container,
          debugDescription: "The field '\(path)' is changed in two ways at once.")
      }
      changes += (kinds.isEmpty ? [.remove(before: nil)] : kinds).map {
        Document.FieldChange(path, $0)
      }
    }
    guard changes.allSatisfy(\.isUsable) else {
      throw DecodingError.dataCorruptedError(
        forKey: .dirtyFields, in: container,
        debugDescription: "No record can take one of the changes.")
    }
    return changes
  }

  /// All paths: the listed ones in their order, then the others.
  private var paths: [FieldPath] {
    var seen: Set<FieldPath> = []
    let listed = dirtyFields.filter { seen.insert($0).inserted }
    let others = Set(payload.keys).union(increments.keys).union(inserted.keys)
      .union(removed.keys).subtracting(seen)
    return listed + others.sorted()
  }
}

/// A coding key whose name is only known at run time.
struct MemberKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Outbox {
  /// A server's objection to one field of an operation that it rejected.
  public struct FieldIssue: Codable, Hashable, Sendable {
    /// The field.
    public var path: FieldPath
    /// A message for the user that says what is wrong with the field.
    public var message: String

    /// Creates an issue for a field.
    public init(_ path: FieldPath, _ message: String) {
      self.path = path
      self.message = message
    }
  }
}
