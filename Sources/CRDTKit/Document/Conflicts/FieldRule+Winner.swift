extension FieldRule {
  /// Which of several concurrent values a field shows; `nil` where there is none.
  ///
  /// Counters, sets and merged fields, which have no single value, show a plain value
  /// that was written to them as ``lastWriterWins`` does.
  ///
  /// - Complexity: O(number of alternatives).
  public func winner(among alternatives: [Document.Alternative]) -> Document.Alternative? {
    alternatives.dropFirst().reduce(alternatives.first) { winner, next in
      guard let winner else { return next }
      return beats(next, winner) ? next : winner
    }
  }

  /// Whether one of two concurrent values is shown instead of the other.
  ///
  /// A value that an undo has put back gives way to any other. Where the rule is silent,
  /// the greater stamp decides; of equal ones, which only
  /// one identifier used in two places can make, the greater value.
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
    case .authority(let replicas):
      let isAuthority = replicas.means(challenger.replica)
      if isAuthority != replicas.means(holder.replica) { return isAuthority }
    case .deferTo(let replicas):
      let yields = replicas.means(challenger.replica)
      if yields != replicas.means(holder.replica) { return !yields }
    case .lastWriterWins, .manual, .counter, .set, .merged: break
    }
    if challenger.timestamp != holder.timestamp { return challenger.timestamp > holder.timestamp }
    return challenger.value > holder.value
  }

  /// Whether a write of a value is made where the field shows another already.
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
  /// Whether nobody wrote the value of this stamp: an undo has put it back, in place of one
  /// that it took away.
  var isOfPutBack: Bool { time == 0 }
}
