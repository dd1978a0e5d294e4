/// Which replicas a diagram shows, and where.
///
/// Where there are too many, those that something befell come first, then an even
/// sample.
struct DiagramLanes {
  /// How many replicas have a lane.
  static let shownMax = 60
  /// How many of them because of what befell them.
  private static let notableMax = 40

  /// The replicas with lanes, in order.
  let shown: [Int]
  /// How many have none.
  let others: Int
  private let lanes: [Int?]
  /// The distance of two lanes.
  let spacing: Double
  /// Where the first lane is.
  let top: Double

  init(run: TraceRun, top: Double) {
    let count = run.replicas.count
    shown = count <= Self.shownMax ? Array(0..<count) : Self.choice(of: run)
    others = count - shown.count
    var lanes: [Int?] = Array(repeating: nil, count: count)
    for (lane, replica) in shown.enumerated() { lanes[replica] = lane }
    self.lanes = lanes
    let rows = shown.count
    spacing = rows <= 8 ? 56 : rows <= 16 ? 40 : rows <= 32 ? 28 : 20
    self.top = top + max(spacing / 2 + 6, 28)
  }

  private static func choice(of run: TraceRun) -> [Int] {
    var notable: Set<Int> = []
    for event in run.events {
      switch event.kind {
      case .crash, .pause, .join, .leave, .violation, .clock:
        if let replica = event.replica { notable.insert(replica) }
      default: break
      }
    }
    var chosen = Set(EvenSample.elements(of: notable.sorted(), max: notableMax))
    let rest = run.replicas.indices.filter { !chosen.contains($0) }
    chosen.formUnion(EvenSample.elements(of: rest, max: shownMax - chosen.count))
    return chosen.sorted()
  }

  /// Below the last lane.
  var bottom: Double { top + Double(max(shown.count - 1, 0)) * spacing + spacing / 2 + 6 }

  /// Whether a replica has a lane of its own.
  func isShown(_ replica: Int?) -> Bool {
    height(of: replica) != nil
  }

  /// The middle of a replica's lane; `nil` if it has none.
  func height(of replica: Int?) -> Double? {
    guard let replica, lanes.indices.contains(replica) else { return nil }
    return lanes[replica].map(height(ofLane:))
  }

  /// The middle of a lane.
  func height(ofLane lane: Int) -> Double { top + Double(lane) * spacing }

  /// What a lane is called.
  func name(ofLane lane: Int) -> String {
    "replica \(shown[lane] + 1)"
  }
}
