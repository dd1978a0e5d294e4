import CRDTKit

extension DocumentModel {
  enum Shown {
    case value(Document.Value)
    case object
    case set
    case count(Int64)
  }

  enum RecordState: Equatable {
    case absent
    case present
    case deleted(HybridTimestamp)
  }

  /// Whether a record is there: a change that no deletion had seen counts against
  /// them as the rule says.
  func state(of record: DocumentRecord, under schema: Schema) -> RecordState {
    let writes = writes(in: record)
    guard writes.contains(where: { $0.content == .created }) else { return .absent }
    return stateOfContent(of: record, under: schema)
  }

  /// Whether a record was purged, and something written that the purge had not seen.
  func isOrphan(_ record: DocumentRecord, under schema: Schema) -> Bool {
    state(of: record, under: schema) == .absent
      && stateOfContent(of: record, under: schema) == .present
      && writes(in: record).contains { $0.content != .deleted }
  }

  func stateOfContent(of record: DocumentRecord, under schema: Schema) -> RecordState {
    let writes = writes(in: record)
    let deletions = writes.filter { $0.content == .deleted }
    guard let latest = deletions.map(\.timestamp).max() else { return .present }
    let unseen = writes.filter { write in
      write.content != .deleted && !deletions.contains { had($0, seen: write) }
    }
    switch schema.collections[record.collection]?.deletion ?? .updateWins {
    case .deleteWins: return .deleted(latest)
    case .updateWins: return unseen.isEmpty ? .deleted(latest) : .present
    case .lastWriterWins:
      return unseen.contains { $0.timestamp > latest } ? .present : .deleted(latest)
    }
  }

  func rule(of path: [String], in record: DocumentRecord, under schema: Schema) -> Schema.FieldRule
  {
    schema.collections[record.collection]?.rule(of: FieldPath(path)) ?? .lastWriterWins
  }

  func candidates(at path: [String], of record: DocumentRecord) -> [Write] {
    writes(at: path, of: record).filter(\.isCandidate)
  }

  /// What was counted; `nil` where nothing was, or all of it removed.
  func sum(at path: [String], of record: DocumentRecord) -> Int64? {
    let amounts = writes(at: path, of: record).compactMap { write in
      if case .count(let amount) = write.content { amount } else { nil as Int64? }
    }
    return amounts.isEmpty ? nil : amounts.reduce(0, +)
  }

  /// The value that a rule chooses.
  func winner(under rule: Schema.FieldRule, among candidates: [Write]) -> Write? {
    let latest = candidates.max { left, right in
      // Equal stamps are those of one edit.
      left.timestamp == right.timestamp
        ? left.compared < right.compared : left.timestamp < right.timestamp
    }
    switch rule {
    case .lastWriterWins, .manual, .counter, .set, .text, .list, .merged: return latest
    case .firstWriterWins: return candidates.min { $0.timestamp < $1.timestamp }
    case .max:
      let greatest = candidates.map(\.compared).max()
      return winner(under: .manual, among: candidates.filter { $0.compared == greatest })
    case .min:
      let least = candidates.map(\.compared).min()
      return winner(under: .manual, among: candidates.filter { $0.compared == least })
    case .preferring(let replicas):
      let theirs = candidates.filter { replicas.contains($0.timestamp.replica) }
      return theirs.isEmpty ? latest : winner(under: .manual, among: theirs)
    case .preferringOthers(let replicas):
      let others = candidates.filter { !replicas.contains($0.timestamp.replica) }
      return others.isEmpty ? latest : winner(under: .manual, among: others)
    }
  }

  func shown(at path: [String], of record: DocumentRecord, under schema: Schema) -> Shown? {
    shown(at: path, of: record, by: readingRule(of: path, in: record, under: schema))
  }

  /// Whether the schema says nothing of a field.
  func isOpen(_ path: [String], in record: DocumentRecord, under schema: Schema) -> Bool {
    rule(of: path, in: record, under: schema) == .lastWriterWins
      && schema.collections[record.collection]?.fields.contains { pattern, rule in
        rule == .lastWriterWins && pattern.names.count == path.count
          && zip(pattern.names, path).allSatisfy { $0 == "*" || $0 == $1 }
      } != true
  }

  /// The rule of a field; where the schema says nothing, sets are merged that nobody wrote
  /// anything else over.
  func readingRule(
    of path: [String], in record: DocumentRecord, under schema: Schema
  ) -> Schema.FieldRule {
    let rule = rule(of: path, in: record, under: schema)
    guard isOpen(path, in: record, under: schema), sum(at: path, of: record) == nil else {
      return rule
    }
    let candidates = candidates(at: path, of: record)
    let isOfSet = candidates.allSatisfy { candidate in
      switch candidate.content {
      case .set, .value(.array, of: _), .value(.null, of: _): true
      default: false
      }
    }
    let isSet = candidates.contains { $0.content == .set }
    return isOfSet && (isSet || !elements(at: path, of: record).isEmpty) ? .set : rule
  }

  func shown(at path: [String], of record: DocumentRecord, by rule: Schema.FieldRule) -> Shown? {
    let candidates = candidates(at: path, of: record)
    let winner = winner(under: rule, among: candidates)
    let sum = sum(at: path, of: record)
    if rule == .counter, let sum, case .value(.int(let base), of: _)? = winner?.content {
      return .count(base + sum)
    }
    if rule == .set,
      candidates.contains(where: { $0.content == .set })
        || !elements(at: path, of: record).isEmpty
    {
      return .set
    }
    switch winner?.content {
    case .value(let value, of: _): return .value(value)
    case .set: return .set
    case .object: return .object
    default: return sum.map { .count($0) }
    }
  }
}

extension DocumentModel {
  func fields(
    in path: [String], of record: DocumentRecord, under schema: Schema
  ) -> [String: Document.Value] {
    let names = Set(
      writes(in: record).lazy
        .filter { $0.path.count == path.count + 1 && $0.path.starts(with: path) }
        .compactMap(\.path.last))
    var fields: [String: Document.Value] = [:]
    for name in names { fields[name] = value(at: path + [name], of: record, under: schema) }
    return fields
  }

  func value(
    at path: [String], of record: DocumentRecord, under schema: Schema
  ) -> Document.Value? {
    switch shown(at: path, of: record, under: schema) {
    case .value(let value): value
    case .count(let count): .int(count)
    case .object: .object(fields(in: path, of: record, under: schema))
    case .set: .array(shownElements(at: path, of: record, under: schema))
    case nil: nil
    }
  }

  private func shownElements(
    at path: [String], of record: DocumentRecord, under schema: Schema
  ) -> [Document.Value] {
    var elements = Set(elements(at: path, of: record).compactMap(\.element))
    if readingRule(of: path, in: record, under: schema) == .set {
      elements.formUnion(plainElements(at: path, of: record))
    }
    return elements.sorted()
  }

  /// The elements of plain arrays that were written to a set.
  func plainElements(at path: [String], of record: DocumentRecord) -> [Document.Value] {
    candidates(at: path, of: record).flatMap { write -> [Document.Value] in
      if case .value(.array(let plain), of: _) = write.content { plain } else { [] }
    }
  }

  /// Whether the record is there and all on the way to a field show objects.
  func isReached(_ path: [String], of record: DocumentRecord, under schema: Schema) -> Bool {
    guard state(of: record, under: schema) == .present else { return false }
    return path.indices.dropFirst().allSatisfy { count in
      if case .object? = shown(at: Array(path[..<count]), of: record, under: schema) {
        true
      } else {
        false
      }
    }
  }

  /// A candidate as a whole.
  private func value(of write: Write, under schema: Schema) -> Document.Value {
    switch write.content {
    case .value(let value, of: _): value
    case .set:
      .array(
        Set(elements(at: write.path, of: write.record).compactMap(\.element)).sorted())
    default: .object(fields(in: write.path, of: write.record, under: schema))
    }
  }

  /// The concurrent values of a field, the one that is shown first.
  func alternatives(
    at path: [String], of record: DocumentRecord, under schema: Schema
  ) -> [Document.Alternative] {
    let rule = readingRule(of: path, in: record, under: schema)
    let writes = writes(at: path, of: record)
    guard let shown = shown(at: path, of: record, under: schema),
      let value = value(at: path, of: record, under: schema)
    else { return [] }
    switch shown {
    case .count: return latest(of: writes).map { [Document.Alternative(value, at: $0)] } ?? []
    case .set where rule == .set:
      let all = writes + elements(at: path, of: record)
      return latest(of: all).map { [Document.Alternative(value, at: $0)] } ?? []
    default: break
    }
    let candidates = candidates(at: path, of: record)
    let winner = winner(under: rule, among: candidates)
    let others = candidates.filter { $0 != winner }.sorted { $0.timestamp > $1.timestamp }
    return ([winner].compactMap { $0 } + others).map { write in
      Document.Alternative(self.value(of: write, under: schema), at: write.timestamp)
    }
  }

  private func latest(of writes: [Write]) -> HybridTimestamp? {
    writes.map(\.timestamp).max()
  }
}

extension DocumentModel {
  package struct Conflict: Sendable {
    let record: DocumentRecord
    let path: [String]
    let sides: [Document.Alternative]
    let ancestor: Document.Alternative?
    /// What a resolution replaces.
    let writes: Set<WriteName>
  }

  /// The fields of the rule ``Schema/FieldRule/manual`` that hold values that differ.
  func conflicts(under schema: Schema) -> [Conflict] {
    var conflicts: [Conflict] = []
    for record in standing.keys {
      for path in Set(writes(in: record).lazy.filter(\.isCandidate).map(\.path)) {
        guard rule(of: path, in: record, under: schema) == .manual,
          isReached(path, of: record, under: schema)
        else { continue }
        let candidates = candidates(at: path, of: record).sorted { $0.timestamp > $1.timestamp }
        let sides = candidates.map { write in
          Document.Alternative(value(of: write, under: schema), at: write.timestamp)
        }
        guard Set(sides.map(\.value)).count > 1 else { continue }
        let ancestors = Set(candidates.map(\.ancestor))
        conflicts.append(
          Conflict(
            record: record, path: path, sides: sides,
            ancestor: ancestors.count == 1 ? ancestors.first ?? nil : nil,
            writes: Set(candidates.map(\.name))))
      }
    }
    return conflicts
  }
}
