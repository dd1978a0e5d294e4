import CRDTKit

/// Makes random operations on the shared state, repeated by their seed.
struct RandomEditor {
  private var generator: SplitMix64
  private var clock: HybridLogicalClock
  private var wallMilliseconds: UInt64
  private let workspace: Workspace
  private var replica: ReplicaID
  /// What was added to the counters here.
  private(set) var added = [0, 0]

  init(workspace: Workspace, index: Int, seed: UInt64) {
    self.workspace = workspace
    generator = SplitMix64(seed: seed, stream: UInt64(index))
    replica = Self.replica(index)
    clock = HybridLogicalClock(replica: replica)
    // No two clocks agree: each is up to two seconds off.
    wallMilliseconds = 1_800_000_000_000 + UInt64(generator.below(4_000))
  }

  /// The identifier that a place among the replicas writes under.
  static func replica(_ index: Int) -> ReplicaID {
    ReplicaID(UInt64(index) + 1)
  }

  /// From now on, writes under the identifier of another: a fork.
  mutating func impersonate(_ index: Int) {
    replica = Self.replica(index)
  }

  /// How many operations to make next, of so many that are left.
  mutating func batch(of left: Int, max: Int) -> Int {
    min(left, 1 + generator.below(max))
  }

  /// Keeps the clock ahead of the stamps that have come in.
  mutating func receiveStamps() throws(ClockDriftError) {
    let stamp = workspace.owner.value.timestamp
    if stamp > clock.latest { try clock.receive(stamp, wallMilliseconds: wallMilliseconds) }
  }

  /// Makes one operation.
  mutating func edit() throws {
    wallMilliseconds += UInt64(generator.below(20))
    switch generator.below(20) {
    case 0..<4: editTags()
    case 4..<6: workspace.numbers.value.insert(generator.below(10_000), by: replica)
    case 6: workspace.title.value.set(phrase(), by: replica)
    case 7:
      let stamp = clock.now(wallMilliseconds: wallMilliseconds)
      workspace.owner.value.set(word(), at: stamp)
    case 8: try editCounters()
    case 9: try editCounters()
    case 10: editFlags()
    case 11..<14: editLabels()
    case 14..<16: try editScores()
    case 16..<18: editNotes()
    default: editFolders()
    }
  }

  private mutating func editTags() {
    let tag = word()
    switch generator.below(100) {
    case 0..<65: workspace.tags.value.insert(tag, by: replica)
    case 65..<99: workspace.tags.value.remove(tag, by: replica)
    default:
      let other = word()
      workspace.tags.value.edit(by: replica) { tags in
        tags.removeAll()
        tags.insert(tag)
        tags.insert(other)
      }
    }
  }

  private mutating func editCounters() throws {
    let amount = generator.below(9) + 1
    switch generator.below(3) {
    case 0:
      try workspace.visits.value.increment(UInt64(amount), by: replica)
      added[0] += amount
    case 1:
      try workspace.stock.value.increment(UInt64(amount), by: replica)
      added[1] += amount
    default:
      try workspace.stock.value.decrement(UInt64(amount), by: replica)
      added[1] -= amount
    }
  }

  private mutating func editFlags() {
    switch generator.below(4) {
    case 0: workspace.isOpen.value.enable(by: replica)
    case 1: workspace.isOpen.value.disable(by: replica)
    case 2: workspace.isLocked.value.enable(by: replica)
    default: workspace.isLocked.value.disable(by: replica)
    }
  }

  private mutating func editLabels() {
    let key = word()
    let label = generator.below(30)
    switch generator.below(10) {
    case 0: workspace.labels.value.removeValue(forKey: key, by: replica)
    case 1..<4: _ = workspace.labels.value.update(key, by: replica) { $0.remove(label) }
    default: _ = workspace.labels.value.update(key, by: replica) { $0.insert(label) }
    }
  }

  private mutating func editScores() throws {
    let key = word()
    let amount = UInt64(generator.below(9) + 1)
    switch generator.below(10) {
    case 0: workspace.scores.value.removeValue(forKey: key, by: replica)
    case 1..<4: try workspace.scores.value.update(key, by: replica) { try $0.decrement(amount) }
    default: try workspace.scores.value.update(key, by: replica) { try $0.increment(amount) }
    }
  }

  private mutating func editNotes() {
    let key = word()
    let text = phrase()
    if generator.below(8) == 0 {
      workspace.notes.value.removeValue(forKey: key, by: replica)
    } else {
      workspace.notes.value.update(key, by: replica) { $0.set(text) }
    }
  }

  private mutating func editFolders() {
    let folder = word()
    let file = word()
    let number = generator.below(20)
    switch generator.below(12) {
    case 0: workspace.folders.value.removeValue(forKey: folder, by: replica)
    case 1: _ = workspace.folders.value.update(folder, by: replica) { $0.removeValue(forKey: file) }
    default:
      _ = workspace.folders.value.update(folder, by: replica) { folder in
        folder.update(file) { $0.insert(number) }
      }
    }
  }

  private mutating func word() -> String {
    Self.words[generator.below(Self.words.count)]
  }

  private mutating func phrase() -> String {
    word() + " " + word()
  }

  private static let words = [
    "amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heron", "iris", "jade",
    "kelp", "larch", "moss", "north", "opal", "pine", "quartz", "reed", "slate", "tide",
    "umber", "vale", "willow", "yarrow", "café", "Übung", "東京", "🌲",
  ]
}
