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
