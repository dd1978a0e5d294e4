package import CRDTKit

extension DocumentModel {
  /// Changes to a record, made as a stamp's replica under a schema.
  struct Edit {
    var model: DocumentModel
    let timestamp: HybridTimestamp
    let schema: Schema
    let record: DocumentRecord
  }

  /// Makes a change; gives what the document's operation says of it.
  package mutating func perform(
    _ operation: DocumentOperation, at timestamp: HybridTimestamp, under schema: Schema,
    conflicts: [Conflict]
  ) -> Int {
    makeEvent(by: timestamp.replica) { model in
      if case .purge(let milliseconds) = operation {
        return model.purge(
          before: timestamp.milliseconds - min(milliseconds, timestamp.milliseconds),
          under: schema)
      }
      var edit = Edit(
        model: model, timestamp: timestamp, schema: schema,
        record: operation.record ?? DocumentRecord("", in: ""))
      if case .resolve(let place, let value) = operation {
        guard !conflicts.isEmpty else { return 0 }
        let conflict = conflicts[place % conflicts.count]
        edit = Edit(model: model, timestamp: timestamp, schema: schema, record: conflict.record)
        let isSettled = edit.resolve(conflict, with: value)
        model = edit.model
        return isSettled ? 1 : 0
      }
      let result = edit.perform(operation)
      model = edit.model
      return result
    }
  }

  private mutating func purge(before cutoff: UInt64, under schema: Schema) -> Int {
    var count = 0
    for record in standing.keys {
      guard case .deleted(let stamp) = stateOfContent(of: record, under: schema),
        stamp.milliseconds < cutoff
      else { continue }
      replace(writes(in: record))
      count += 1
    }
    return count
  }
}

extension DocumentModel.Edit {
  fileprivate mutating func perform(_ operation: DocumentOperation) -> Int {
    switch operation {
    case .set(_, let path, let value):
      open(path)
      return assign(value, at: path, isForced: true) ? 1 : 0
    case .remove(_, let path): return remove(path) ? 1 : 0
    case .insert(_, let path, let element): return insert(element, at: path) ? 1 : 0
    case .removeElement(_, let path, let element): return remove(element, at: path) ? 1 : 0
    case .increment(_, let path, let amount):
      guard amount != 0 else { return 0 }
      open(path)
      self.count(amount, at: path)
      return 1
    case .create:
      let isNew = state != .present
      openRecord()
      return isNew ? 1 : 0
    case .delete:
      guard state == .present else { return 0 }
      model.replace(deletions)
      write(.deleted, at: [])
      return 1
    case .restore:
      guard case .deleted = state else { return 0 }
      model.replace(deletions)
      return 1
    case .write(_, let card):
      openRecord()
      write(card)
      return 1
    case .restoreOrphan: return restoreOrphan() ? 1 : 0
    case .discardOrphan:
      guard isOrphan else { return 0 }
      model.replace(model.writes(in: record).filter { $0.content != .deleted })
      return 1
    case .purge, .resolve: return 0
    }
  }

  private var isOrphan: Bool { model.isOrphan(record, under: schema) }

  /// Makes the record anew with what stands, and what that stands in.
  private mutating func restoreOrphan() -> Bool {
    guard isOrphan else { return false }
    model.replace(deletions)
    write(.created, at: [])
    let edits = model.writes(in: record)
    let paths = Set(edits.flatMap { edit in edit.path.indices.map { Array(edit.path[..<$0]) } })
      .union(edits.filter { $0.element != nil }.map(\.path))
    for path in paths where !path.isEmpty && model.writes(at: path, of: record).isEmpty {
      let hasFields = edits.contains { $0.path.count > path.count && $0.path.starts(with: path) }
      write(hasFields ? .object : .set, at: path)
    }
    return true
  }

  private var state: DocumentModel.RecordState { model.state(of: record, under: schema) }

  private var deletions: [DocumentModel.Write] {
    model.writes(in: record).filter { $0.content == .deleted }
  }

  private mutating func write(_ content: DocumentModel.Content, at path: [String]) {
    model.write(content, at: path, of: record, at: timestamp)
  }

  private func rule(of path: [String]) -> Schema.FieldRule {
    model.rule(of: path, in: record, under: schema)
  }

  /// Whether a field is read as a set.
  private func isSet(_ path: [String]) -> Bool {
    model.readingRule(of: path, in: record, under: schema) == .set
  }

  private func shown(at path: [String]) -> DocumentModel.Shown? {
    model.shown(at: path, of: record, under: schema)
  }

  /// Creates the record, where it is empty, or restores it.
  private mutating func openRecord() {
    if model.writes(in: record).contains(where: { $0.content == .created }) {
      model.replace(deletions)
    } else {
      model.replace(model.writes(in: record))
      write(.created, at: [])
    }
  }

  /// Creates the record and the objects on the way to a field.
  private mutating func open(_ path: [String]) {
    openRecord()
    for count in path.indices.dropFirst() { openObject(at: Array(path[..<count])) }
  }

  /// Replaces what stands at a field.
  private mutating func replace(at path: [String], andBeneath isWhole: Bool) {
    model.replace(model.writes(at: path, of: record))
    if isWhole { model.replace(model.writes(beneath: path, of: record)) }
  }

  private mutating func openObject(at path: [String], isAlone: Bool = false) {
    let writes = model.writes(at: path, of: record)
    let isObject = if case .object? = shown(at: path) { true } else { false }
    if isObject, !isAlone || writes.allSatisfy({ $0.content == .object }) { return }
    replace(at: path, andBeneath: !isObject)
    write(.object, at: path)
  }

  private mutating func openSet(at path: [String]) {
    let writes = model.writes(at: path, of: record)
    if !writes.isEmpty, writes.allSatisfy({ $0.content == .set }) { return }
    let isSet = if case .set? = shown(at: path) { true } else { false }
    let plain = plainElements(at: path)
    replace(at: path, andBeneath: !isSet)
    write(.set, at: path)
    for element in plain where members(element, at: path).isEmpty {
      write(.element(element), at: path)
    }
  }

  private func plainElements(at path: [String]) -> [Document.Value] {
    switch shown(at: path) {
    case .value(.array(let elements)): elements
    case .set where isSet(path): model.plainElements(at: path, of: record)
    default: []
    }
  }

  private func members(
    _ element: Document.Value, at path: [String]
  ) -> [DocumentModel.Write] {
    model.elements(at: path, of: record).filter { $0.content == .element(element) }
  }
}

extension DocumentModel.Edit {
  private mutating func assign(
    _ value: Document.Value, at path: [String], isForced: Bool
  ) -> Bool {
    switch (value, rule(of: path)) {
    case (.object(let fields), _): return assignObject(fields, at: path)
    case (.array(let elements), _) where isSet(path): return assignSet(elements, at: path)
    case (.int(let number), .counter): return assignCount(number, at: path)
    default: return assignValue(value, at: path, isForced: isForced)
    }
  }

  /// Whether a field's rule lets a value be written over what is shown.
  private func isAdmitted(_ value: Document.Value, at path: [String]) -> Bool {
    let old: Document.Value
    switch shown(at: path) {
    case nil: return true
    case .value(let value): old = value
    case .count(let count): old = .int(count)
    case .object: old = .object([:])
    case .set: old = .array([])
    }
    switch rule(of: path) {
    case .firstWriterWins: return false
    case .max: return value > old
    case .min: return value < old
    default: return true
    }
  }

  private mutating func assignValue(
    _ value: Document.Value, at path: [String], isForced: Bool
  ) -> Bool {
    if !isForced, case .value(let old)? = shown(at: path), old == value { return false }
    guard isAdmitted(value, at: path) else { return false }
    let candidates = model.candidates(at: path, of: record)
    let canBeOfSet =
      switch value {
      case .array, .null: model.isOpen(path, in: record, under: schema)
      default: false
      }
    let isLoose =
      (rule(of: path) == .set || canBeOfSet) && !model.elements(at: path, of: record).isEmpty
    let ancestor = ancestor(among: candidates, at: path)
    replace(at: path, andBeneath: isLoose || candidates.contains(where: \.isContainer))
    write(.value(value, of: ancestor), at: path)
    return true
  }

  private func ancestor(
    among candidates: [DocumentModel.Write], at path: [String]
  ) -> Document.Alternative? {
    guard rule(of: path) == .manual,
      let winner = model.winner(under: .manual, among: candidates), !winner.isContainer
    else { return nil }
    return winner.alternative
  }

  private mutating func assignObject(_ fields: [String: Document.Value], at path: [String]) -> Bool
  {
    switch shown(at: path) {
    case nil, .object: break
    default: guard isAdmitted(.object([:]), at: path) else { return false }
    }
    let before = model.standing
    openObject(at: path, isAlone: true)
    replaceFields(at: path, with: fields)
    return model.standing != before
  }

  private mutating func replaceFields(at path: [String], with fields: [String: Document.Value]) {
    for name in names(in: path) where fields[name] == nil {
      replace(at: path + [name], andBeneath: true)
    }
    for (name, value) in fields { _ = assign(value, at: path + [name], isForced: false) }
  }

  private func names(in path: [String]) -> Set<String> {
    Set(
      model.writes(in: record).lazy
        .filter { $0.path.count == path.count + 1 && $0.path.starts(with: path) }
        .compactMap(\.path.last))
  }

  private mutating func assignSet(_ elements: [Document.Value], at path: [String]) -> Bool {
    let before = model.standing
    openSet(at: path)
    for write in model.elements(at: path, of: record) {
      if case .element(let element) = write.content, !elements.contains(element) {
        model.replace([write])
      }
    }
    for element in elements where members(element, at: path).isEmpty {
      write(.element(element), at: path)
    }
    return model.standing != before
  }

  private mutating func assignCount(_ number: Int64, at path: [String]) -> Bool {
    let shown = self.number(at: path)
    guard shown != number else { return false }
    self.count(number - (shown ?? model.sum(at: path, of: record) ?? 0), at: path)
    return true
  }

  /// The number that a counter shows.
  private func number(at path: [String]) -> Int64? {
    switch model.shown(at: path, of: record, by: .counter) {
    case .count(let count): count
    case .value(.int(let plain)): plain
    default: nil
    }
  }

  private mutating func count(_ amount: Int64, at path: [String]) {
    if rule(of: path) == .counter, number(at: path) == nil {
      let candidates = model.candidates(at: path, of: record)
      model.replace(candidates)
      if candidates.contains(where: \.isContainer) {
        model.replace(model.writes(beneath: path, of: record))
      }
    }
    write(.count(amount), at: path)
  }

  private mutating func remove(_ path: [String]) -> Bool {
    guard model.isReached(path, of: record, under: schema) else { return false }
    let before = model.standing
    replace(at: path, andBeneath: true)
    guard model.standing != before else { return false }
    openRecord()
    return true
  }

  private mutating func insert(_ element: Document.Value, at path: [String]) -> Bool {
    open(path)
    openSet(at: path)
    let members = members(element, at: path)
    model.replace(members)
    write(.element(element), at: path)
    return members.isEmpty
  }

  private mutating func remove(_ element: Document.Value, at path: [String]) -> Bool {
    guard model.isReached(path, of: record, under: schema) else { return false }
    var isThere = plainElements(at: path).contains(element)
    if case .set? = shown(at: path) { isThere = isThere || !members(element, at: path).isEmpty }
    guard isThere else { return false }
    openRecord()
    openSet(at: path)
    model.replace(members(element, at: path))
    return true
  }

  fileprivate mutating func resolve(
    _ conflict: DocumentModel.Conflict, with value: Document.Value
  ) -> Bool {
    let path = conflict.path
    guard model.isReached(path, of: record, under: schema) else { return false }
    let writes = model.writes(at: path, of: record)
    let sides = writes.filter { conflict.writes.contains($0.name) }
    let others = writes.filter { !conflict.writes.contains($0.name) }
    guard !sides.isEmpty else { return false }
    openRecord()
    let isShared = others.contains(where: \.isContainer)
    model.replace(sides)
    if case .object(let fields) = value {
      write(.object, at: path)
      if !sides.contains(where: { $0.content == .object }), !isShared {
        model.replace(model.writes(beneath: path, of: record))
      }
      replaceFields(at: path, with: fields)
      return true
    }
    let winner = model.winner(under: .manual, among: sides)
    let ancestor = winner.flatMap { $0.isContainer ? nil : $0.alternative }
    write(.value(value, of: ancestor), at: path)
    if sides.contains(where: \.isContainer), !isShared {
      model.replace(model.writes(beneath: path, of: record))
    }
    return true
  }

  /// Writes what a model differs in.
  fileprivate mutating func write(_ card: DocumentCard) {
    _ = assign(.string(card.title), at: ["title"], isForced: false)
    _ = assign(.int(Int64(card.likes)), at: ["likes"], isForced: false)
    let tags = card.tags.sorted().map { Document.Value.string($0) }
    // A set of the model is one in the record, unless a rule says otherwise.
    if model.isOpen(["tags"], in: record, under: schema) {
      _ = assignSet(tags, at: ["tags"])
    } else {
      _ = assign(.array(tags), at: ["tags"], isForced: false)
    }
    write(card.note.map { .string($0) }, at: ["note"])
    if let address = card.address {
      openObject(at: ["a"])
      _ = assign(.string(address.x), at: ["a", "x"], isForced: false)
      write(address.y.map { .int(Int64($0)) }, at: ["a", "y"])
    } else {
      write(nil, at: ["a"])
    }
    openObject(at: ["scores"])
    for (name, score) in card.scores {
      _ = assign(.int(Int64(score)), at: ["scores", name], isForced: false)
    }
    for name in names(in: ["scores"]) where card.scores[name] == nil {
      replace(at: ["scores", name], andBeneath: true)
    }
  }

  private mutating func write(_ value: Document.Value?, at path: [String]) {
    if let value {
      _ = assign(value, at: path, isForced: false)
    } else if shown(at: path) != nil {
      _ = assignValue(.null, at: path, isForced: false)
    }
  }
}
