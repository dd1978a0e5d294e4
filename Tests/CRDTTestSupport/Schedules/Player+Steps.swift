import CRDTKit

extension Player {
  mutating func play(_ step: Step) throws(Discrepancy) {
    switch step {
    case .change(let who, let operation): try change(place(who), operation)
    case .edit(let who, let operations): try edit(place(who), operations)
    case .send(let who, let since):
      let version = versions[since % versions.count]
      try send(place(who), since: version.real, model: version.model)
    case .answer(let who, let other):
      let asker = replicas[place(other)]
      try send(place(who), since: asker.value.version, model: asker.model.seen)
    case .deliver(let who, let number, let asBytes):
      guard !messages.isEmpty else { return }
      try deliver(messages[number % messages.count], to: place(who), asBytes: asBytes)
    case .merge(let who, let other, let asBytes):
      try merge(place(who), from: place(other), asBytes: asBytes)
    case .recode(let who): try recode(place(who))
    case .cutLog(let who, let column, let whole): cutLog(place(who), column, whole: whole)
    case .copy(let who):
      let value = replicas[place(who)].value
      copies.append((value, value.encoded(), Root.reading(of: value)))
    case .clone(let who, let other): try clone(place(who), from: place(other))
    }
  }

  private func place(_ number: Int) -> Int { number % replicas.count }

  private mutating func change(_ place: Int, _ operation: Operation) throws(Discrepancy) {
    let id = replicas[place].id
    Root.perform(operation, on: &replicas[place].value, by: id)
    Root.perform(operation, on: &replicas[place].model, under: [], by: id)
    try inspect(place)
  }

  private mutating func edit(_ place: Int, _ operations: [Operation]) throws(Discrepancy) {
    let id = replicas[place].id
    let before = replicas[place].model.seen
    let delta = replicas[place].value.edit(by: id) { editor in
      for operation in operations { Root.perform(operation, in: &editor) }
    }
    for operation in operations {
      Root.perform(operation, on: &replicas[place].model, under: [], by: id)
    }
    let state = replicas[place].model
    // One that changed nothing builds on nothing.
    let reference =
      before == state.seen
      ? ReferenceDelta(of: ReferenceTable(), since: [:]) : ReferenceDelta(of: state, since: before)
    messages.append(Message(delta: delta, model: reference))
    try check(delta.isEmpty == (before == state.seen), "the edit's delta misreports its isEmpty")
    try inspect(place)
  }

  private mutating func send(
    _ place: Int, since version: VersionVector, model: [ReplicaID: UInt64]
  ) throws(Discrepancy) {
    let delta = replicas[place].value.delta(since: version)
    let reference = ReferenceDelta(of: replicas[place].model, since: model)
    let base = delta.base.reduce(into: [:]) { $0[$1.replica] = $1.counter }
    try check(base == reference.base, "the delta's base is \(base), not \(reference.base)")
    messages.append(Message(delta: delta, model: reference))
  }

  private mutating func deliver(
    _ message: Message, to place: Int, asBytes: Bool
  ) throws(Discrepancy) {
    let before = replicas[place].value
    let expected = replicas[place].model.apply(message.model)
    var outcome: ReferenceTable.Outcome
    do throws(DeltaError) {
      let isNew =
        asBytes
        ? try replicas[place].value.apply(decoding: message.delta.encoded())
        : try replicas[place].value.apply(message.delta)
      outcome = isNew ? .new : .known
    } catch {
      guard case .gap(let missing) = error else { throw Discrepancy("refused: \(error)") }
      outcome = .gap
      let needed = message.delta.base.filter { $0.counter > before.version[$0.replica] }
      try check(
        Array(missing) == needed && !needed.isEmpty, "missing \(missing) is not \(needed)")
    }
    try check(outcome == expected, "the delta was \(outcome), but is \(expected)")
    if outcome != .new {
      try check(
        replicas[place].value.encoded() == before.encoded(), "a \(outcome) delta changed a state")
    }
    try inspect(place)
  }

  private mutating func merge(
    _ place: Int, from other: Int, asBytes: Bool
  ) throws(Discrepancy) {
    let before = replicas[place].value.version
    if asBytes {
      let bytes = replicas[other].value.encoded()
      let isNew: Bool
      do throws(DeltaError) {
        isNew = try replicas[place].value.merge(decoding: bytes)
      } catch {
        throw Discrepancy("an encoded state was refused: \(error)")
      }
      let hasMore = replicas[place].value.version != before
      try check(isNew == hasMore, "merging says \(isNew) to whether there was anything new")
    } else {
      replicas[place].value.merge(replicas[other].value)
    }
    replicas[place].model.merge(replicas[other].model)
    try inspect(place)
  }

  private mutating func recode(_ place: Int) throws(Discrepancy) {
    do throws(DecodingFailure) {
      replicas[place].value = try Value(decoding: replicas[place].value.encoded())
    } catch {
      throw Discrepancy("does not decode: \(error)")
    }
    try inspect(place)
  }

  private mutating func clone(_ place: Int, from other: Int) throws(Discrepancy) {
    // Under its own name a replica must not forget what it has done.
    replicas[place].model.merge(replicas[other].model)
    guard replicas[place].model.seen == replicas[other].model.seen else {
      replicas[place].value.merge(replicas[other].value)
      return try inspect(place)
    }
    replicas[place].value = replicas[other].value
    try inspect(place)
  }
}
