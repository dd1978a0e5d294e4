import CRDTKit

/// What came of an exchange with a server.
public struct OutboxReport: Hashable, Sendable {
  /// How many operations were sent; those that were sent twice count twice.
  public var sent = 0
  /// How many the server did.
  public var accepted = 0
  /// How many are dead letters now.
  public var deadLettered = 0
  /// How many met a change of the server's, which was taken in.
  public var conflicts = 0
  /// How many lost to a later write, as a whole or in part, when they met one; those that
  /// lost to what was fetched are told as ``StoreEvent/superseded(_:)`` alone.
  public var superseded = 0
  /// How many records of the server's were looked at.
  public var pulled = 0
  /// How many records came to be different by them.
  public var changed = 0
  /// How many operations wait still.
  public var pending = 0
  /// How many calls the server answered: pushes and pages.
  public var answers = 0
  /// Why it ended before all was done; `nil` where all was, or waits for its time.
  public var interruption: Interruption?

  /// Why an exchange ended.
  public enum Interruption: Hashable, Sendable {
    /// The time for it was over; the rest is done next time.
    case deadline
    /// The server could not be asked.
    case remote(RemoteError)
    /// The store could not commit what came of it.
    case store(String)
  }

  /// Whether nothing waits and nothing went wrong.
  public var isComplete: Bool { pending == 0 && interruption == nil }

  /// Creates the report of an exchange in which nothing happened.
  public init() {}
}

extension OutboxReport: CustomStringConvertible {
  /// The counts that are not 0, and why the exchange ended before all was done.
  public var description: String {
    let counts = [
      (sent, "sent"), (accepted, "accepted"), (deadLettered, "refused for good"),
      (conflicts, "in conflict at the server"), (superseded, "lost to later ones"),
      (pulled, "fetched"), (changed, "changed by it"), (pending, "still waiting"),
    ]
    var parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    if parts.isEmpty { parts = ["nothing to do"] }
    if let interruption { parts.append("ended early: \(interruption)") }
    return parts.joined(separator: ", ")
  }
}

extension OutboxReport.Interruption: CustomStringConvertible {
  /// Why, in words.
  public var description: String {
    switch self {
    case .deadline: "the time was over"
    case .remote(let error): "\(error)"
    case .store(let reason): reason.visible
    }
  }
}
