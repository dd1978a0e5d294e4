import CRDTKit

extension Outbox {
  /// The result of an exchange with a server.
  public struct Report: Hashable, Sendable {
    /// The number of sent operations.
    ///
    /// Those that were sent twice count twice.
    public var sent = 0
    /// The number of operations that the server applied.
    public var accepted = 0
    /// The number of operations that became dead letters.
    public var deadLettered = 0
    /// The number of operations that conflicted with a change of the server, which was
    /// applied.
    public var conflicts = 0
    /// The number of operations that lost to a later write, as a whole or in part, when they
    /// were sent.
    ///
    /// Losses to pulled changes are only reported as ``Store/Event/superseded(_:)``.
    public var superseded = 0
    /// The number of server records that were examined.
    public var pulled = 0
    /// The number of records that they changed.
    public var changed = 0
    /// The number of operations that are still pending.
    public var pending = 0
    /// The number of calls that the server answered: pushes and pages.
    public var answers = 0
    /// Why the exchange ended early; `nil` if everything is done or waits for its time.
    public var interruption: Interruption?

    /// Why an exchange ended.
    public enum Interruption: Hashable, Sendable {
      /// The time limit was reached; the rest follows next time.
      case deadline
      /// A request to the server failed.
      case remote(RemoteError)
      /// The store could not commit the results.
      case store(String)
    }

    /// Whether no operation is pending and no error occurred.
    public var isComplete: Bool { pending == 0 && interruption == nil }

    /// Creates the report of an exchange in which nothing happened.
    public init() {}
  }
}

extension Outbox.Report: CustomStringConvertible {
  /// The counts that are not 0, and why the exchange ended early.
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

extension Outbox.Report.Interruption: CustomStringConvertible {
  /// The reason.
  public var description: String {
    switch self {
    case .deadline: "the time was over"
    case .remote(let error): "\(error)"
    case .store(let reason): reason.visible
    }
  }
}
