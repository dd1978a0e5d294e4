extension TraceRun {
  /// How many replicas agreed from a time on.
  struct Agreement: Equatable {
    var time: UInt64
    /// How many hold the state that most hold.
    var agreeing: Int
    /// How many take part.
    var present: Int
  }

  /// Whether the trace tells what states replicas were in.
  var hasDigests: Bool { replicas.contains { $0.digest != nil } }

  /// How many agreed, whenever that changed.
  var agreement: [Agreement] {
    var groups = AgreementGroups(replicas: replicas.count, joiningLater: joiningLater)
    var steps: [Agreement] = []
    for (index, event) in events.enumerated() {
      groups.take(event)
      // Only what holds when all events of one moment are over.
      if index + 1 < events.count, events[index + 1].time == event.time { continue }
      let step = Agreement(
        time: event.time, agreeing: groups.largest, present: groups.present)
      if let last = steps.last, last.agreeing == step.agreeing, last.present == step.present {
        continue
      }
      steps.append(step)
    }
    return steps
  }

  /// Since when all agree, if they do in the end.
  var convergence: UInt64? {
    guard hasDigests else { return nil }
    return agreement.reversed().prefix { $0.agreeing == $0.present }.last?.time
  }

  /// The digest that most replicas hold in the end.
  var commonDigest: String? {
    var counts: [String: Int] = [:]
    for replica in replicas where replica.isPresent {
      if let digest = replica.digest { counts[digest, default: 0] += 1 }
    }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// The replicas whose first event of their own is that they join.
  var joiningLater: Set<Int> {
    var seen: Set<Int> = []
    var joining: Set<Int> = []
    for event in events {
      guard let replica = event.replica, seen.insert(replica).inserted else { continue }
      if event.kind == .join, event.time > 0 { joining.insert(replica) }
    }
    return joining
  }
}
