extension Schema.FieldRule {
  /// The one of several concurrent values that a field shows; `nil` if there is none.
  ///
  /// Counters, sets and merged fields have no single value. If a plain value was written
  /// to them, they choose it as ``lastWriterWins`` does.
  ///
  /// - Complexity: O(number of alternatives).
  public func winner(among alternatives: [Document.Alternative]) -> Document.Alternative? {
    alternatives.dropFirst().reduce(alternatives.first) { winner, next in
      guard let winner else { return next }
      return beats(next, winner) ? next : winner
    }
  }

  /// Whether the first of two concurrent values is shown instead of the second.
  ///
  /// A value that an undo has put back loses to any other. If the rule does not decide,
  /// the greater stamp wins. Stamps are equal only if one identifier is used in two
  /// places; then the greater value wins.
  private func beats(_ challenger: Document.Alternative, _ holder: Document.Alternative) -> Bool {
    if challenger.timestamp.isOfPutBack != holder.timestamp.isOfPutBack {
      return holder.timestamp.isOfPutBack
    }
    switch self {
    case .firstWriterWins:
      if challenger.timestamp != holder.timestamp { return challenger.timestamp < holder.timestamp }
    case .max:
      if challenger.value != holder.value { return challenger.value > holder.value }
    case .min:
      if challenger.value != holder.value { return challenger.value < holder.value }
    case .preferring(let replicas):
      let isAuthority = replicas.means(challenger.replica)
      if isAuthority != replicas.means(holder.replica) { return isAuthority }
    case .preferringOthers(let replicas):
      let yields = replicas.means(challenger.replica)
      if yields != replicas.means(holder.replica) { return !yields }
    case .lastWriterWins, .manual, .counter, .set, .text, .list, .merged: break
    }
    if challenger.timestamp != holder.timestamp { return challenger.timestamp > holder.timestamp }
    return challenger.value > holder.value
  }

  /// Whether a value may be written to a field that shows another.
  package func admits(_ value: Document.Value, over shown: Document.Value) -> Bool {
    switch self {
    case .firstWriterWins: false
    case .max: value > shown
    case .min: value < shown
    default: true
    }
  }
}

extension HybridTimestamp {
  /// Whether an undo has put the value with this stamp back, in place of one that it
  /// removed.
  var isOfPutBack: Bool { time == 0 }
}
