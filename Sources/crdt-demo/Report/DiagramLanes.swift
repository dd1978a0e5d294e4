/// Which replicas a diagram shows, and where.
///
/// Where there are too many, those that something befell come first, then an even
/// sample; all others share one lane.
struct DiagramLanes {
  /// How many replicas have a lane of their own.
  static let shownMax = 60
  /// How many of them because of what befell them.
  private static let notableMax = 40

  /// The replicas with lanes of their own, in order.
  let shown: [Int]
  /// How many share the last lane.
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
    let rows = shown.count + (others > 0 ? 1 : 0)
    spacing = rows <= 8 ? 56 : rows <= 16 ? 40 : rows <= 32 ? 28 : 20
    self.top = top + spacing / 2 + 6
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

  /// How many lanes there are.
  var count: Int { shown.count + (others > 0 ? 1 : 0) }

  /// Below the last lane.
  var bottom: Double { top + Double(max(count - 1, 0)) * spacing + spacing / 2 + 6 }

  /// Whether a replica has a lane of its own.
  func isShown(_ replica: Int?) -> Bool {
    guard let replica, lanes.indices.contains(replica) else { return false }
    return lanes[replica] != nil
  }

  /// The middle of a replica's lane.
  func height(of replica: Int) -> Double {
    height(ofLane: (lanes.indices.contains(replica) ? lanes[replica] : nil) ?? shown.count)
  }

  /// The middle of a lane.
  func height(ofLane lane: Int) -> Double { top + Double(lane) * spacing }

  /// What a lane is called.
  func name(ofLane lane: Int) -> String {
    lane < shown.count ? "replica \(shown[lane] + 1)" : others.counted("other")
  }
}
