import CRDTKit

/// One replica of the shared state: makes operations, takes packets in, and says
/// what to send.
struct Replica {
  private let settings: ReplicaSettings
  private let workspace = Workspace()
  private let parts: [SharedPart]
  private var editor: RandomEditor
  private(set) var counts = ReplicaCounts()
  /// Gaps that were met and are not filled, by part.
  private var gaps: [Int: [VersionVector]] = [:]
  /// The parts to ask each neighbour for.
  private var requests: [Int: Set<Int>] = [:]
  private var asksOnly = false
  /// Whether what comes in is thrown away: a fault for tests.
  var isDeaf = false

  init(settings: ReplicaSettings) {
    self.settings = settings
    parts = workspace.parts
    editor = RandomEditor(workspace: workspace, index: settings.index, seed: settings.seed)
  }

  /// Writes under another's identifier: a fault for tests.
  mutating func impersonate(_ index: Int) {
    editor.impersonate(index)
  }

  /// Makes the operations of one round.
  mutating func makeOperations() throws {
    let left = settings.operations - counts.operations
    guard left > 0 else { return }
    try editor.receiveStamps()
    for _ in 0..<editor.batch(of: left, max: settings.batchMax) {
      try editor.edit()
      counts.operations += 1
    }
  }

  /// Takes in packets that have arrived.
  mutating func take(_ packets: [Packet]) throws {
    if isDeaf { return }
    for packet in packets {
      var reader = ByteReader(packet.bytes)
      for item in try [PacketItem](from: &reader) { try take(item, from: packet.peer) }
    }
  }

  private mutating func take(_ item: PacketItem, from neighbour: Int) throws {
    switch item {
    case .delta(let part, let bytes) where parts.indices.contains(part):
      try takeDelta(bytes, of: part, from: neighbour)
    case .request(let part, let version) where parts.indices.contains(part):
      try parts[part].note(version, neighbour)
    default: throw Trouble("a packet is about a part that there is not")
    }
  }

  private mutating func takeDelta(_ bytes: [UInt8], of part: Int, from neighbour: Int) throws {
    counts.deltasReceived += 1
    counts.bytesReceived += bytes.count
    do {
      let isNew = try parts[part].apply(bytes, neighbour)
      if isNew { fillGaps(of: part) } else { counts.duplicates += 1 }
    } catch DeltaError.gap(let missing) {
      counts.gapsMet += 1
      gaps[part, default: []].append(missing)
      requests[neighbour, default: []].insert(part)
    }
  }

  private mutating func fillGaps(of part: Int) {
    guard let open = gaps[part], let version = parts[part].versionVector() else { return }
    let left = open.filter { !version.contains($0) }
    counts.gapsFilled += open.count - left.count
    gaps[part] = left.isEmpty ? nil : left
  }

  /// Asks all neighbours, and sends nothing else until they have asked too: after
  /// that, both sides know what the other has seen.
  mutating func askForAll() {
    for neighbour in settings.neighbours { requests[neighbour] = Set(parts.indices) }
    asksOnly = true
  }

  /// What to send now: a packet for each neighbour that there is anything for.
  mutating func packets() -> [Packet] {
    defer {
      requests = [:]
      asksOnly = false
    }
    return settings.neighbours.compactMap { neighbour in
      let items = items(for: neighbour)
      guard !items.isEmpty else { return nil }
      var writer = ByteWriter(capacity: 256)
      items.encode(to: &writer)
      return Packet(peer: neighbour, bytes: writer.finish())
    }
  }

  private mutating func items(for neighbour: Int) -> [PacketItem] {
    var items: [PacketItem] = []
    for part in (requests[neighbour] ?? []).sorted() {
      items.append(.request(part: part, version: parts[part].encodedVersion()))
    }
    for part in parts.indices where !asksOnly {
      guard let bytes = parts[part].news(neighbour) else { continue }
      counts.deltasSent += 1
      counts.bytesSent += bytes.count
      items.append(.delta(part: part, bytes: bytes))
    }
    return items
  }

  /// How it went.
  var report: ReplicaReport {
    var counts = counts
    counts.microseconds = Int(Syscalls.processorMicroseconds)
    return ReplicaReport(
      counts: counts,
      digests: parts.map { String(SHA256.hexadecimalDigest(of: $0.encodedState()).prefix(16)) },
      contents: workspace.contents,
      sums: workspace.sums,
      added: editor.added)
  }
}
