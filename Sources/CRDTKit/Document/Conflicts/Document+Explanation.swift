extension Document {
  /// The reasons why a field shows its value: the values, their writers, and the rule
  /// that chose.
  ///
  /// An explanation is no history, because replaced values leave no rows. It covers the
  /// values that were not overwritten, and the values that conflicts replaced. Its
  /// ``description`` is in plain words.
  public struct Explanation: Hashable, Sendable {
    /// The amount by which one replica has changed a counter.
    public struct Count: Hashable, Sendable {
      /// The total amount since the counter was last removed; negative if the replica
      /// counted down.
      public let amount: Int64
      /// The replica, and the time of its latest change.
      public let timestamp: HybridTimestamp
    }

    /// An element of a set, with its insertions.
    public struct Element: Hashable, Sendable {
      /// The element.
      public let value: Value
      /// The replica and time of each insertion, in order of time; empty if the element
      /// is in an array that was written as a whole.
      public let insertions: [HybridTimestamp]
    }

    /// The record and its collection.
    public let record: RecordID
    /// The field.
    public let path: FieldPath
    /// The rule under which it is read.
    public let rule: Schema.FieldRule
    /// The value that the field shows.
    public let value: Value
    /// The written value that is shown; for a counter, the number from which it
    /// continues.
    ///
    /// `nil` if there are only counts or elements.
    public let winner: Alternative?
    /// The other values that were written concurrently and not replaced since, the latest
    /// first.
    public let losers: [Alternative]
    /// The value that all of them replaced, if the rows show it, as they do under
    /// ``Schema/FieldRule/manual``.
    public let ancestor: Alternative?
    /// The amount of each replica, in the order of the replicas.
    public let counts: [Count]
    /// The elements of a set, in their order.
    public let elements: [Element]
    /// Whether the field is in ``Document/conflicts`` and needs a resolution.
    public let isInConflict: Bool
  }

  /// Explains why a field shows its value; `nil` if the field or the record is absent.
  ///
  ///     if let reasons = notes.explain("title", of: "n1", in: "notes") { print(reasons) }
  ///
  /// - Complexity: As ``value(of:of:in:)``, and O(concurrent values).
  public func explain(
    _ path: FieldPath, of record: String, in collection: String
  ) -> Explanation? {
    guard let target = target(of: path, of: record, in: collection),
      let value = value(of: path, of: record, in: collection)
    else { return nil }
    let rows = rows(of: target)
    let all = written(rows, at: target)
    let winner = rows.winner(under: target.rule)?.dot
    let sorted = all.filter { $0.dot != winner }.map(\.alternative)
      .sorted { $0.timestamp > $1.timestamp }
    return Explanation(
      record: RecordID(target.place), path: path, rule: rows.rule(at: target), value: value,
      winner: all.first { $0.dot == winner }?.alternative, losers: sorted,
      ancestor: rows.commonAncestor, counts: counts(at: target),
      elements: elements(of: value, at: target, rows),
      isInConflict: conflict(of: path, of: record, in: collection) != nil)
  }

  /// The values of a field with their dots, objects and sets as they are now.
  private func written(
    _ rows: FieldRows, at target: Editor.Target
  ) -> [(dot: Dot, alternative: Alternative)] {
    let contents = rows.hasContainer ? contents(of: target.beneath) : Contents()
    let candidates = rows.writtenCandidates
    return zip(candidates, contents.values(of: candidates, at: target, text: text(of: rows))).map {
      ($0.dot, Alternative($1, at: $0.timestamp))
    }
  }

  private func counts(at target: Editor.Target) -> [Explanation.Count] {
    var counter = CounterRows()
    var times: [ReplicaID: UInt64] = [:]
    for dot in _table.dots(of: target.key) {
      guard let payload = _table.row(at: dot)?.payload, case .counter(let row) = payload.content
      else { continue }
      counter.add(row, of: dot.replica)
      var counting: ContiguousArray = row.isTotal ? [dot.replica] : []
      if case .totals(let totals) = row.content { counting += totals.totals.replicas }
      for replica in counting { times[replica] = max(times[replica] ?? 0, payload.time) }
    }
    let surviving = counter.surviving
    return zip(surviving.replicas, surviving.totals).map { replica, total in
      Explanation.Count(
        amount: Int64(clamping: total.contribution),
        timestamp: HybridTimestamp(time: times[replica] ?? 0, replica: replica))
    }
  }

  private func elements(
    of value: Value, at target: Editor.Target, _ rows: FieldRows
  ) -> [Explanation.Element] {
    guard case .set? = rows.shown(at: target), case .array(let elements) = value
    else { return [] }
    let place = target.beneath
    var insertions: [Value: [HybridTimestamp]] = [:]
    for dot in _table.dots(under: place.hash, where: { $0.isElement(of: place) }) {
      guard let row = _table.row(at: dot), case .element(let element) = row.key.part
      else { continue }
      let stamp = HybridTimestamp(time: row.payload.time, replica: dot.replica)
      insertions[element, default: []].append(stamp)
    }
    return elements.map { element in
      Explanation.Element(value: element, insertions: (insertions[element] ?? []).sorted())
    }
  }
}

extension Document.Explanation: CustomStringConvertible {
  /// The reasons in plain words, one per line.
  public var description: String {
    var lines = ["\(path.description.visible) of \(record) reads \(value)."]
    if let winner {
      lines.append("\(winner.value) was written \(Self.words(for: winner.timestamp)).")
    }
    if !losers.isEmpty {
      lines.append("Written concurrently, and not replaced since:")
      lines += losers.map { "- \($0.value) \(Self.words(for: $0.timestamp))" }
      lines.append("The rule is \(rule.name): \(reason)")
    } else {
      lines.append("The rule is \(rule.name); nothing was written concurrently.")
    }
    if let ancestor {
      let writer = Self.words(for: ancestor.timestamp)
      lines.append("It was written in place of \(ancestor.value), written \(writer).")
    }
    if !counts.isEmpty {
      lines.append(winner == nil ? "Counted:" : "Counted on top of what was written:")
      lines += counts.map { count in
        "- \(count.amount < 0 ? "" : "+")\(count.amount) \(Self.words(for: count.timestamp))"
      }
    }
    if !elements.isEmpty {
      lines.append("Elements:")
      lines += elements.map { element in
        let writers = element.insertions.map { Self.words(for: $0) }
        let origin = writers.isEmpty ? ["part of a whole that was written"] : writers
        return "- \(element.value) \(origin.joined(separator: ", and "))"
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The reason why the winner is shown, and not another value.
  private var reason: String {
    switch rule {
    case .lastWriterWins: "the one with the latest stamp is shown."
    case .firstWriterWins: "the one with the earliest stamp is shown."
    case .max: "the greatest is shown."
    case .min: "the least is shown."
    case .preferring(let replicas):
      "one by \(Self.list(replicas)) is preferred, then the one with the latest stamp."
    case .preferringOthers(let replicas):
      "one by another than \(Self.list(replicas)) is preferred, then the one with the latest "
        + "stamp."
    case .manual:
      isInConflict
        ? "someone has to choose; meanwhile the one with the latest stamp is shown."
        : "they are the same, so there is nothing to choose."
    case .counter: "the one with the latest stamp is what is counted from."
    case .set: "the elements of all are shown together."
    case .text: "what all have written into the text is shown together."
    case .list: "the elements that all have inserted are shown, each by its own rules."
    case .merged:
      "a model has them all, merged; as a plain value the one with the latest stamp is shown."
    }
  }

  private static func words(for stamp: HybridTimestamp) -> String {
    let replica = stamp.replica
    let principal = replica.isDelegate ? " for the authority \(replica.principal)" : ""
    return "by \(replica)\(principal) at \(stamp.milliseconds) ms"
  }

  private static func list(_ replicas: Set<ReplicaID>) -> String {
    if replicas.isEmpty { return "nobody" }
    return replicas.sorted().map(\.description).joined(separator: " or ")
  }
}
