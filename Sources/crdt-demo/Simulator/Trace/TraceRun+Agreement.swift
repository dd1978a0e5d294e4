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

/// Which replicas are in equal states, kept up event by event.
struct AgreementGroups {
  private var digests: [String]
  private var isPresent: [Bool]
  /// How many replicas hold a state.
  private var counts: [String: Int] = [:]
  /// How many states are held by so many replicas.
  private var sizes: [Int]
  /// How many replicas take part.
  private(set) var present = 0
  /// How many replicas hold the state that most hold.
  private(set) var largest = 0

  /// All begin with nothing, and so agree; some join later.
  init(replicas: Int, joiningLater: Set<Int>) {
    digests = Array(repeating: "", count: replicas)
    isPresent = Array(repeating: false, count: replicas)
    sizes = Array(repeating: 0, count: replicas + 1)
    for replica in 0..<replicas where !joiningLater.contains(replica) { enter(replica) }
  }

  /// Takes in what happens.
  mutating func take(_ event: TraceEvent) {
    guard let replica = event.replica, digests.indices.contains(replica) else { return }
    if event.kind == .join { enter(replica) }
    if event.kind == .leave { leave(replica) }
    guard let digest = event.digest, digest != digests[replica] else { return }
    let wasPresent = isPresent[replica]
    leave(replica)
    digests[replica] = digest
    if wasPresent { enter(replica) }
  }

  /// A replica's digest, empty where none is known.
  func digest(of replica: Int) -> String { digests[replica] }

  /// The state that most replicas hold: of several the first in the order of digests.
  var commonDigest: String {
    counts.filter { $0.value == largest }.keys.min() ?? ""
  }

  private mutating func enter(_ replica: Int) {
    guard !isPresent[replica] else { return }
    isPresent[replica] = true
    present += 1
    let count = counts[digests[replica], default: 0]
    counts[digests[replica]] = count + 1
    if count > 0 { sizes[count] -= 1 }
    sizes[count + 1] += 1
    largest = max(largest, count + 1)
  }

  private mutating func leave(_ replica: Int) {
    guard isPresent[replica], let count = counts[digests[replica]] else { return }
    isPresent[replica] = false
    present -= 1
    counts[digests[replica]] = count > 1 ? count - 1 : nil
    sizes[count] -= 1
    if count > 1 { sizes[count - 1] += 1 }
    while largest > 0, sizes[largest] == 0 { largest -= 1 }
  }
}
