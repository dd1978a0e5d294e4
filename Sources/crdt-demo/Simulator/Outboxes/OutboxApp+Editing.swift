import CRDTKit
import CRDTStore

extension OutboxApp {
  /// Makes the change that a number stands for; false where the store has stopped.
  mutating func change(_ number: UInt64, _ durability: Store.Durability, mayFail: Bool = false)
    -> Bool
  {
    guard let store else { return true }
    let key = Int(number % UInt64(settings.keys))
    var promise = OutboxPromise(dot: nil, name: OutboxNote.lasting(key))
    let kind = (number >> 40) % 8
    if kind < 4 { promise.likes = 1 + Int((number >> 48) % 5) }
    if kind == 6 { promise.tag = String(number >> 20, radix: 36) }
    if kind == 7 { promise.name = OutboxNote.passing(key) }
    if kind == 4 || kind == 5 { promise.title = "\(number >> 20)" }
    promise.shown = title(of: promise.name)
    let events = store.document.version[replica]
    do {
      if promise.likes > 0, (number >> 53) % 4 == 0 {
        try count(&promise, durability, in: store)
        return true
      }
      let receipt = try store.write(durability) { transaction in
        try Self.make(promise, number, &transaction)
      }
      guard let dot = receipt.dot else { return true }
      promise.dot = dot
      promise.operations = receipt.operations
      promise.receipt = receipt
      if promise.title != nil { promise.milliseconds = milliseconds(of: promise) }
      pending.append(promise)
      if durability == .relaxed { disk.tally.relaxed += 1 }
    } catch let error as StoreError {
      if !mayFail { failures.append("a commit has failed: \(error)") }
      doubtful = (promise, events)
      return false
    } catch {
      failures.append("an edit was refused: \(error)")
    }
    return true
  }

  /// Counts a note by an edit of the document, as apps do that know no models.
  private mutating func count(
    _ promise: inout OutboxPromise, _ durability: Store.Durability, in store: Store
  ) throws(StoreError) {
    let (name, likes) = (promise.name, Int64(promise.likes))
    let events = store.document.version[replica]
    let body = { (edit: inout Document.Editor) in
      _ = try? edit.increment("likes", of: name, in: OutboxNote.collection, by: likes)
    }
    if settings.sabotage == .unqueuedEdits {
      try outbox?.editUnqueued(durability, body)
    } else {
      try store.edit(durability, body)
    }
    let dot = Dot(replica, store.document.version[replica])
    guard dot.counter > events else { return }
    promise.dot = dot
    promise.operations = [Outbox.OperationID(dot: dot, record: OutboxNote.record(name))]
    pending.append(promise)
    if durability == .relaxed { disk.tally.relaxed += 1 }
  }

  /// When the title of a promise was written, as it was stamped: not before the time that
  /// the clock shows, nor after all that it has shown.
  private mutating func milliseconds(of promise: OutboxPromise) -> UInt64 {
    let reasons = store?.document.explain("title", of: promise.name, in: OutboxNote.collection)
    guard let title = promise.title, let winner = reasons?.winner,
      winner.value == .string(title), winner.replica == replica
    else {
      failures.append("the title of \(promise.name) was just written, and isn't shown")
      return clock.milliseconds
    }
    let time = winner.timestamp.milliseconds
    if time < clock.milliseconds || time > clock.latest {
      failures.append(
        "the title of \(promise.name) is stamped \(time), by a clock that shows "
          + "\(clock.milliseconds) and has shown \(clock.latest)")
    }
    return time
  }

  private static func make(
    _ promise: OutboxPromise, _ number: UInt64, _ transaction: inout Store.Transaction
  ) throws {
    let title = "\(number >> 20)"
    guard (number >> 40) % 8 == 7 else {
      return try transaction.update(OutboxNote.self, promise.name) { note in
        note.likes += promise.likes
        if let tag = promise.tag { note.tags.insert(tag) }
        if promise.likes == 0, promise.tag == nil { note.title = title }
      }
    }
    if try transaction.get(OutboxNote.self, promise.name) == nil {
      try transaction.create(OutboxNote(id: promise.name, title: title))
    } else if (number >> 50) % 2 == 0 {
      try transaction.delete(OutboxNote.self, promise.name)
    } else {
      try transaction.update(OutboxNote.self, promise.name) { $0.title = title }
    }
  }
}
