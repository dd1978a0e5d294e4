import CRDTKit

/// One replica of the shared document: makes operations, takes in what comes over
/// its streams, and says what to send.
struct Replica {
  private let settings: ReplicaSettings
  private var document = Document(schema: SharedDocument.schema)
  private var clock: SkewedClock
  private var editor: RandomEditor
  /// In ascending order of their places.
  private var neighbours: [Neighbour]
  private(set) var counts = ReplicaCounts()
  /// Whether bytes that come in are thrown away: a fault for tests.
  var isDeaf = false

  init(settings: ReplicaSettings) {
    self.settings = settings
    let replica = SharedDocument.replica(settings.index)
    var generator = SplitMix64(seed: settings.seed, stream: UInt64(settings.index))
    clock = SkewedClock(
      replica: replica, operations: settings.operations, using: &generator)
    editor = RandomEditor(generator: generator)
    neighbours = settings.neighbours.map { Neighbour(place: $0, replica: replica) }
  }

  /// Writes under another's identifier: a fault for tests.
  mutating func impersonate(_ place: Int) {
    let replica = SharedDocument.replica(place)
    clock.impersonate(replica)
    for index in neighbours.indices { neighbours[index].impersonate(replica) }
  }

  /// Makes the operations of one round.
  mutating func makeOperations() throws {
    let left = settings.operations - counts.operations
    guard left > 0 else { return }
    let count = editor.batch(of: left, max: settings.batchMax)
    for _ in 0..<count { try editor.edit(&document, by: &clock) }
    counts.operations += count
    counts.recordsPurged += editor.tidy(&document, by: &clock)
  }

  /// Takes in what the coordinator says of the streams.
  mutating func take(_ messages: [LinkMessage]) throws {
    for message in messages {
      guard let index = neighbours.firstIndex(where: { $0.place == message.peer }) else {
        throw Trouble("a message is about a stream that there is not")
      }
      if isDeaf, case .bytes = message.content { continue }
      try neighbours[index].take(message, into: &document, clock: &clock, counting: &counts)
    }
  }

  /// Expects the links to bring all bytes from now on.
  mutating func trustLinks() {
    for index in neighbours.indices { neighbours[index].isReliable = true }
  }

  /// What to send now.
  mutating func messages() throws -> [LinkMessage] {
    try neighbours.indices.flatMap { index in
      try neighbours[index].flush(document, counting: &counts)
      return neighbours[index].takeMessages()
    }
  }

  /// How it went.
  var report: ReplicaReport {
    var counts = counts
    counts.microseconds = Int(Syscalls.processorMicroseconds)
    let summary = DocumentSummary(document: document)
    return ReplicaReport(
      counts: counts, digests: summary.digests, contents: summary.contents,
      conflictsOpen: document.conflicts.count, sums: summary.sums, added: editor.added,
      entries: summary.entryCounts(replicas: settings.replicas), entriesMade: editor.entriesMade)
  }
}
