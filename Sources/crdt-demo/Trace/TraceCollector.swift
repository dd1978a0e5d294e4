/// Keeps the events of a run in memory, for pictures of it.
///
/// Once there are many it keeps only those that are rare: a picture shows but a part
/// of the messages anyway.
final class TraceCollector {
  private static let countMax = 2_000_000
  private static let rareMax = 100_000

  private(set) var events: [TraceEvent] = []
  /// How many events were not kept.
  private(set) var omitted = 0

  /// Takes an event in.
  func add(_ event: TraceEvent) {
    guard events.count < Self.countMax || isRare(event.kind) else {
      omitted += 1
      return
    }
    events.append(event)
  }

  private func isRare(_ kind: TraceEvent.Kind) -> Bool {
    guard events.count < Self.countMax + Self.rareMax else { return kind == .end }
    switch kind {
    case .send, .receive, .edit, .learn, .lose, .duplicate, .corrupt, .connect: return false
    default: return true
    }
  }
}
