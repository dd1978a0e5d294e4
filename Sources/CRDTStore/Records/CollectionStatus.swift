import CRDTKit

/// What there is to be told of a collection's records together.
public struct CollectionStatus: Hashable, Sendable {
  /// The name of the collection.
  public var collection: String
  /// How many records there are here.
  public var localCount: Int
  /// How many the server is known to have; `nil` where it has no part in them.
  public var serverCount: Int?
  /// How many changes wait to be sent.
  public var pendingCount: Int
  /// How many fields wait for someone to choose.
  public var conflictCount: Int
  /// How many changes the server refused.
  public var failedCount: Int
  /// When all of it was last in sync with the server, in milliseconds since 1970.
  public var lastSyncedMilliseconds: UInt64?
}

extension CollectionStatus {
  /// Whether what is shown is older than a span of time, and should be marked so, or
  /// fetched anew; also where it never came.
  ///
  /// - Parameters:
  ///   - span: Five minutes unless said otherwise.
  ///   - now: Milliseconds since 1970.
  /// - Returns: Whether it is.
  public func isStale(after span: Duration = .seconds(300), at now: UInt64) -> Bool {
    guard let lastSyncedMilliseconds else { return true }
    return Int128(now) - Int128(lastSyncedMilliseconds) > span.wholeMilliseconds
  }
}

extension CollectionStatus: CustomStringConvertible {
  /// The collection, and the counts that are not 0.
  public var description: String {
    var parts = ["\(localCount) here"]
    if let serverCount { parts.append("\(serverCount) at the server") }
    if pendingCount > 0 { parts.append("\(pendingCount) to be sent") }
    if conflictCount > 0 { parts.append("\(conflictCount) in conflict") }
    if failedCount > 0 { parts.append("\(failedCount) refused") }
    return "\(collection.visible): \(parts.joined(separator: ", "))"
  }
}
