import CRDTKit

extension DocumentPlayer {
  mutating func play(_ step: DocumentStep) throws(Discrepancy) {
    stepNumber += 1
    switch step {
    case .edit(let who, let operations): try edit(place(who), operations)
    case .send(let who, let since):
      let version = versions[since % versions.count]
      send(place(who), since: version.real, known: version.known)
    case .answer(let who, let other):
      let asker = replicas[place(other)]
      send(place(who), since: asker.document.version, known: asker.model.known)
    case .deliver(let who, let number, let asBytes):
      guard !messages.isEmpty else { return }
      try deliver(messages[number % messages.count], to: place(who), asBytes: asBytes)
    case .merge(let who, let other, let asBytes):
      try merge(place(who), from: place(other), asBytes: asBytes)
    case .recode(let who): try recode(place(who))
    case .cutLog(let who, let column):
      let columns = replicas[place(who)].document._table.columns
      guard !columns.isEmpty else { return }
      let number = column % columns.count
      replicas[place(who)].document._table.columns[number].kills = KillLog(
        floor: columns[number].seen)
    case .copy(let who):
      let document = replicas[place(who)].document
      copies.append((document, document.encoded()))
    }
  }

  private func place(_ number: Int) -> Int { number % replicas.count }

  /// A stamp of a clock that only goes on, but hears of no other.
  private mutating func stamp(_ place: Int) -> HybridTimestamp {
    let wall = (stepNumber / 3 + replicas[place].ahead) << 16
    replicas[place].time = max(wall, replicas[place].time + 1)
    return HybridTimestamp(time: replicas[place].time, replica: replicas[place].id)
  }

  private mutating func edit(
    _ place: Int, _ operations: [DocumentOperation]
  ) throws(Discrepancy) {
    let stamp = stamp(place)
    let before = replicas[place]
    let orphans = before.document.orphanedRecords
    var results: [Int] = []
    let delta: TableDelta<Document>
    do {
      delta = try replicas[place].document.edit(at: stamp) { edit in
        for operation in operations {
          results.append(
            try operation.perform(in: &edit, conflicts: conflicts.map(\.real), orphans: orphans))
        }
      }
    } catch {
      throw Discrepancy("an edit threw \(error)")
    }
    var expected: [Int] = []
    for operation in operations {
      expected.append(
        replicas[place].model.perform(
          operation, at: stamp, under: before.document.schema, conflicts: conflicts.map(\.model)))
    }
    try inspect(place)
    try check(results == expected, "the edits gave \(results), not \(expected)")
    let isEmpty = replicas[place].model.known == before.model.known
    try check(delta.isEmpty == isEmpty, "events were made: \(!delta.isEmpty), not \(!isEmpty)")
    // One that changed nothing builds on nothing.
    messages.append(
      isEmpty
        ? Message(delta: delta, base: [], model: DocumentModel())
        : Message(delta: delta, base: before.model.known, model: replicas[place].model))
  }

  private mutating func send(
    _ place: Int, since version: VersionVector, known: Set<DocumentModel.EventName>
  ) {
    let model = replicas[place].model
    messages.append(
      Message(
        delta: replicas[place].document.delta(since: version),
        base: known.intersection(model.known), model: model))
  }

  private mutating func deliver(
    _ message: Message, to place: Int, asBytes: Bool
  ) throws(Discrepancy) {
    let before = replicas[place].document
    let known = replicas[place].model.known
    let isGap = !message.base.isSubset(of: known)
    let isKnown = message.model.known.isSubset(of: known)
    var wrong: String?
    do throws(DeltaError) {
      let isNew =
        asBytes
        ? try replicas[place].document.apply(decoding: message.delta.encoded())
        : try replicas[place].document.apply(message.delta)
      if isGap || isNew == isKnown {
        wrong = "was taken in as new: \(isNew); is known: \(isKnown), over a gap: \(isGap)"
      }
      replicas[place].model.merge(message.model)
    } catch {
      guard case .gap = error, isGap else { throw Discrepancy("refused: \(error)") }
    }
    if let wrong { throw Discrepancy("the delta \(wrong)") }
    if isGap || isKnown {
      try check(
        replicas[place].document.encoded() == before.encoded(), "a delta changed what it must not")
    }
    try inspect(place)
  }

  private mutating func merge(
    _ place: Int, from other: Int, asBytes: Bool
  ) throws(Discrepancy) {
    if asBytes {
      do throws(DeltaError) {
        try replicas[place].document.merge(decoding: replicas[other].document.encoded())
      } catch {
        throw Discrepancy("an encoded state was refused: \(error)")
      }
    } else {
      replicas[place].document.merge(replicas[other].document)
    }
    replicas[place].model.merge(replicas[other].model)
    try inspect(place)
  }

  private mutating func recode(_ place: Int) throws(Discrepancy) {
    let schema = replicas[place].document.schema
    do throws(DecodingFailure) {
      replicas[place].document = try Document(decoding: replicas[place].document.encoded())
    } catch {
      throw Discrepancy("does not decode: \(error)")
    }
    replicas[place].document.schema = schema
    try inspect(place)
  }
}
