/// Which events of a trace are shown.
struct TraceFilter: Equatable {
  /// Only those that this replica has part in.
  var replica: Int?
  /// Only these kinds; all where there are none.
  var kinds: Set<TraceEvent.Kind> = []
  /// Microseconds from which on, and until which.
  var from: UInt64 = 0
  var to = UInt64.max

  /// Whether an event is shown.
  func admits(_ event: TraceEvent) -> Bool {
    guard event.time >= from, event.time <= to else { return false }
    guard kinds.isEmpty || kinds.contains(event.kind) else { return false }
    return replica == nil || replica == event.replica || replica == event.peer
  }
}
