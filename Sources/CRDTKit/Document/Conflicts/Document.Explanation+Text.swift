extension Document.Explanation: CustomStringConvertible {
  /// The reasons in plain words, one to a line.
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

  /// Why the winner is shown, and not another.
  private var reason: String {
    switch rule {
    case .lastWriterWins: "the one with the latest stamp is shown."
    case .firstWriterWins: "the one with the earliest stamp is shown."
    case .max: "the greatest is shown."
    case .min: "the least is shown."
    case .authority(let replicas):
      "one by \(Self.list(replicas)) is preferred, then the one with the latest stamp."
    case .deferTo(let replicas):
      "one by another than \(Self.list(replicas)) is preferred, then the one with the latest "
        + "stamp."
    case .manual:
      isInConflict
        ? "someone has to choose; meanwhile the one with the latest stamp is shown."
        : "they are the same, so there is nothing to choose."
    case .counter: "the one with the latest stamp is what is counted from."
    case .set: "the elements of all are shown together."
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
