extension Document.Editor {
  /// The rows that a commit wrote; where an authority has confirmed them, its rows.
  func owned(
    _ dots: ContiguousArray<Dot>, _ events: Document.CommitEvents,
    isSame: (Document.RowPayload.Content) -> Bool
  ) -> ContiguousArray<Dot> {
    let own: ContiguousArray<Dot> = dots.filter(events.contains)
    if !own.isEmpty { return own }
    return dots.filter { dot in
      dot.replica.isDelegate && table.row(at: dot).map { isSame($0.payload.content) } == true
    }
  }

  /// The rows within a place, but for traces of counters.
  mutating func rowsWithin(_ place: Document.Place) -> ContiguousArray<Dot> {
    dotsWithin(place).filter { table.row(at: $0)?.payload.content.isTrace == false }
  }

  mutating func find(_ path: FieldPath, in record: Document.RecordID) -> Target? {
    find(path, of: record.record, in: record.collection)
  }

  /// Opens the record for the changes that follow, and notes when rows were written that go.
  mutating func begin(_ taking: inout Taking, _ dots: ContiguousArray<Dot>) {
    for dot in dots {
      taking.result.time = max(taking.result.time, table.row(at: dot)?.payload.time ?? 0)
    }
    _ = openRecord(taking.record.record, in: taking.record.collection)
    object = nil
  }

  mutating func write(
    _ content: Document.RowPayload.Content, at target: Target, killing dots: ContiguousArray<Dot>,
    time: UInt64
  ) {
    let payload = Document.RowPayload(content, at: time)
    table.write(Row(key: target.key, payload: payload), by: replica, killing: dots)
  }

  /// Puts a value back in the place of rows, an object name by name; what others have
  /// written within it stays.
  mutating func putBack(
    _ value: Document.Value?, at target: Target, killing dots: ContiguousArray<Dot>, time: UInt64
  ) {
    switch value {
    case nil: if !dots.isEmpty { table.remove(dots, by: replica) }
    case .object(let fields)?:
      write(.object, at: target, killing: dots, time: time)
      let place = target.beneath
      for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
        let field = target.field(name, in: place)
        guard rows(of: field).isEmpty else { continue }
        putBack(value, at: field, killing: [], time: time)
      }
    case .array(let elements)? where target.rule == .set:
      write(.set, at: target, killing: dots, time: time)
      for element in elements {
        let key = Document.RowKey(target.beneath, .element(element))
        if self.dots(of: key).isEmpty { writeMember(key) }
      }
    case let value?: write(.value(value), at: target, killing: dots, time: time)
    }
  }
}

extension Document.FieldRows {
  /// Whether there is nothing but perhaps traces of a counter.
  var isEmpty: Bool {
    first == nil && counter?.isRunning != true && !hasElements
  }
}
