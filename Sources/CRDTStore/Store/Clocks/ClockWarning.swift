import CRDTKit

/// What may be wrong with the clock that a store takes its stamps from.
///
/// See the article *Clocks* for what is told, and what to do.
public enum ClockWarning: Hashable, Sendable {
  /// The clock has jumped ahead by as much, beyond everything that the store knows.
  ///
  /// If it is wrong, set it right, and then call ``Store/restampFutureWrites()``: what
  /// was written meanwhile is refused by peers, and wins over what they write.
  case jumped(by: Duration)
  /// The store holds, or goes on from, stamps that are ahead of the clock by as much:
  /// either the clock was ahead when they were made, or it is behind now.
  ///
  /// Peers refuse what is written. If the clock is right, call
  /// ``Store/restampFutureWrites()``.
  case stampsAhead(by: Duration)
}

extension ClockWarning: CustomStringConvertible {
  /// A sentence that says what is odd, and what to do.
  public var description: String { "\(sentence), with restampFutureWrites()" }

  /// The same, but with what to do it.
  package var sentence: String {
    switch self {
    case .jumped(let span):
      "the clock has jumped ahead by \(span.inDaysOrLess): if it is wrong, set it right, "
        + "and write anew what was written meanwhile"
    case .stampsAhead(let span):
      "what was written here is stamped \(span.inDaysOrLess) ahead of the clock, and peers "
        + "refuse it: if the clock is right, write it anew"
    }
  }
}
