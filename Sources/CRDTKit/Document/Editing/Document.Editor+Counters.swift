extension Document.Editor {
  /// Adds an amount to a counter; a negative amount counts down.
  ///
  /// The amounts of all replicas are added up, in any order. The field should have the
  /// rule ``Schema/FieldRule/counter``. Adding 0 changes nothing.
  ///
  /// - Precondition: The path has 1 to 32 names, none longer than
  ///   ``Document/Value/maximumNameLength`` bytes.
  /// - Throws: ``CounterOverflow`` if the sum would leave the bounds of `Int64`.
  public mutating func increment(
    _ path: FieldPath, of record: String, in collection: String, by amount: Int64 = 1
  ) throws(CounterOverflow) {
    guard amount != 0 else { return }
    let target = open(path, of: record, in: collection)
    try count(
      target, up: amount > 0 ? amount.magnitude : 0, down: amount < 0 ? amount.magnitude : 0)
  }

  /// Counts until a counter shows a number, and returns whether it changed.
  ///
  /// A number out of reach is not written; that takes 2⁶⁴ counted before.
  mutating func assignCount(_ number: Int64, to target: Target) -> Bool {
    let rows = allRows(of: target)
    guard rows.number != number else { return false }
    let difference = Int128(number) - Int128(rows.number ?? rows.sum)
    let amount = UInt64(clamping: difference.magnitude)
    do {
      try count(target, up: difference > 0 ? amount : 0, down: difference < 0 ? amount : 0)
      return true
    } catch {
      return false
    }
  }

  /// Counts by the difference of two numbers, and returns whether it could.
  mutating func count(_ target: Target, from old: Int64, to new: Int64) -> Bool {
    let amount = (Int128(new) - Int128(old)).magnitude
    do {
      try count(
        target, up: new > old ? UInt64(clamping: amount) : 0,
        down: new < old ? UInt64(clamping: amount) : 0)
      return true
    } catch {
      return false
    }
  }

  private mutating func count(
    _ target: Target, up: UInt64, down: UInt64
  ) throws(CounterOverflow) {
    let dots = table.dotsForChange(of: target.key)
    let rows = Document.FieldRows(dots, of: table)
    var own: CounterRow?
    var replaced: ContiguousArray<Dot> = []
    for dot in dots where dot.replica == replica {
      guard case .counter(let row)? = table.row(at: dot)?.payload.content, row.isTotal else {
        continue
      }
      own = row
      replaced.append(dot)
    }
    // A value that is no number would hide the count.
    let isHidden = target.rule == .counter && rows.number == nil
    let hidden = isHidden ? seen(ContiguousArray(rows.candidates.map(\.dot))) : []
    let counter = rows.counter ?? CounterRows()
    let counted = try counter.row(
      of: replica, goingOnFrom: own, newLife: newLife(after: counter),
      in: table.stretchOfNextEvent(by: replica), up: up, down: down,
      from: isHidden ? 0 : rows.base)
    table.write(row(target.key, .counter(counted)), by: replica, killing: replaced + hidden)
    guard isHidden else { return }
    if rows.hasContainer { clear(dotsWithin(target.beneath)) }
    removeTexts(rows.textStarts, of: target.key)
  }

  /// The life in which the replica's counter begins if it has no row: one that it has not
  /// used yet.
  ///
  /// A trace holds the last life. If traces were forgotten, the last life is unknown, but
  /// its number was no greater than the replica's event count: a trace with a greater
  /// number, under another name, is not forgotten.
  private mutating func newLife(after counter: CounterRows) -> UInt64 {
    let next = counter.removedSum.trace[replica].map { $0.life + 1 } ?? 0
    let unknown = hasForgottenTraces ? table.seen(of: replica) + 1 : 0
    return min(max(next, unknown), CounterRow.lifeMax)
  }
}

extension Document.FieldRows {
  /// The number that a counter shows; `nil` if it shows nothing or another value.
  var number: Int64? {
    switch shown(under: .counter) {
    case .count(let count): count
    case .value(.int(let plain)): plain
    default: nil
    }
  }

  /// The written plain number from which a counter continues.
  var base: Int64 {
    if case .int(let base)? = winner(under: .counter)?.content.value { base } else { 0 }
  }

  /// The sum of the replicas' counts.
  var sum: Int64 {
    counter?.count(from: 0) ?? 0
  }
}
