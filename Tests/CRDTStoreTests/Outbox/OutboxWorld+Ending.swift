import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

extension OutboxWorld {
  /// Lets all be well again, and throws unless all that was queued comes to its end.
  mutating func end() throws {
    server.rejectedFields = [:]
    server.delaysLeft = [Self.records[0]: .max]
    for batch in batches {
      let error = RemoteError(.timeout)
      let effects = machine.failed(batch.number, with: error, at: now, using: &random)
      try commit(effects, isDurable: true)
    }
    batches = []
    try drain(isDone: { world in
      world.machine.pending.allSatisfy { $0.record == Self.records[0] }
    })
    server.delaysLeft = [:]
    try drain(isDone: { $0.machine.isDrained })
    try checkKept()
    try checkEffects()
    try checkOrder()
    try checkValues()
  }

  /// Sends until it is done, which must not take for ever.
  private mutating func drain(isDone: (OutboxWorld) -> Bool) throws {
    var patience = 20 * (machine.pendingCount + 20)
    while !isDone(self) {
      patience -= 1
      guard patience > 0 else {
        throw Discrepancy(description: "what is queued isn't sent: \(machine.pending.map(\.id))")
      }
      if !conflicts.isEmpty {
        try rebaseOne()
      } else if let batch = machine.nextBatch(at: now) {
        let answers = server.push(batch.envelopes)
        say("deliver \(batch.number): \(answers)")
        let effects = machine.received(answers, for: batch.number, at: now, using: &random)
        try commit(effects, isDurable: true)
      } else {
        guard let wake = machine.wakeMilliseconds(after: now) else {
          throw Discrepancy(description: "nothing wakes the machine")
        }
        now = wake
      }
    }
  }

  /// Nothing is done twice, changed, or lost.
  private func checkEffects() throws {
    var done: Set<Outbox.OperationID> = []
    for effect in server.effects {
      guard done.insert(effect.id).inserted else {
        throw Discrepancy(description: "\(effect.id) was done twice")
      }
      try check(effect.changes, of: effect.id, "an effect")
    }
    let dead = Set(machine.deadLetters.map(\.id))
    for letter in machine.deadLetters { try check(letter.changes, of: letter.id, "a dead letter") }
    for id in queued.keys {
      var carrier = id
      while let next = carriers[carrier] { carrier = next }
      let ends = [done, dropped, dead, discarded]
      guard ends.contains(where: { $0.contains(carrier) }) else {
        throw Discrepancy(description: "\(id) was lost")
      }
      guard !dead.contains(carrier) || !done.contains(carrier) || inDoubt.contains(carrier)
      else {
        throw Discrepancy(description: "\(id) was done, and is a dead letter")
      }
    }
  }

  /// What was done to a record was done in the order in which it was queued.
  private func checkOrder() throws {
    for record in Self.records {
      let done = server.effects.filter { $0.record == record && !revived.contains($0.id) }
        .map(\.id)
      guard done == done.sorted() else {
        throw Discrepancy(description: "\(record) was changed out of order: \(done)")
      }
    }
  }

  /// The server has what was queued last, where no one else had a say.
  private func checkValues() throws {
    for (record, ids) in order where !shared.contains(record) {
      let isSimple = ids.allSatisfy { id in
        !revived.contains(id) && !rebased.contains(id)
      }
      guard isSimple, let stored = server.record(record), !stored.isDeleted else { continue }
      let likes = ids.reduce(0) { sum, id in
        let counts = queued[id]?.others.contains { $0.path == "likes" } ?? false
        return sum + (counts && carriers[id] == nil ? 1 : 0)
      }
      let titles = ids.compactMap { id in queued[id]?.values["title"] ?? nil }
      let last = titles.max()
      let wasDeleted = server.effects.contains { $0.record == record && $0.kind == .delete }
      guard stored.fields["likes"] ?? 0 == .int(Int64(likes)), stored.fields["title"] == last
      else {
        if wasDeleted { continue }
        throw Discrepancy(
          description:
            "\(record) has \(stored.fields), not \(likes) and \(String(describing: last))"
        )
      }
    }
  }
}
