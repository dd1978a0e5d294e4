import CRDTKit

/// Writes records into the bodies of a segment's frames.
///
/// A frame holds a batch of records, which count together or not at all. A batch refers to
/// positions and names that earlier batches have spelled out. So that damage can't spoil
/// everything after it, a batch spells its names out anew after each 4 KiB; its first byte
/// says so.
struct BatchWriter: ~Copyable {
  /// The number of bytes after which names are spelled out anew.
  static let refreshSize = 1 << 12

  private var body: ByteWriter
  private var frontier: LogFrontier
  private var names: CodingMemory?
  /// The clock's time in the previous record.
  private var clockTime: UInt64 = 0
  /// The number of bytes written since names were last spelled out anew.
  private var sizeSinceRefresh = Int.max / 2
  /// The number of records in the batch.
  private(set) var count = 0

  /// Creates a writer that continues a log.
  init(after frontier: LogFrontier = LogFrontier()) {
    self.frontier = frontier
    body = ByteWriter(capacity: 1 << 12)
  }

  /// The number of bytes in the batch.
  var size: Int { body.count }

  /// Begins a segment: the next batch spells its names out anew, and its first change names
  /// the whole version, so that a segment can be read without those before it.
  mutating func beginSegment() {
    frontier.forget()
    sizeSinceRefresh = Int.max / 2
  }

  private mutating func begin(_ code: SegmentRecord.Code) {
    if count == 0 {
      let isFresh = sizeSinceRefresh > Self.refreshSize
      if isFresh {
        names = nil
        clockTime = 0
        sizeSinceRefresh = 0
      }
      body.write(isFresh ? 1 : 0 as UInt8)
    }
    count += 1
    body.write(code.rawValue)
  }

  /// Adds a change that is all new, with the time of the clock after it.
  ///
  /// `version` is the store's version, with or without the change.
  mutating func add(
    _ change: TableDelta<Document>, to version: @autoclosure () -> VersionVector,
    clockTime time: UInt64
  ) {
    begin(.change)
    body.write(signedVarint: Int64(bitPattern: time &- clockTime))
    clockTime = time
    frontier.append(change, in: version).encodeBody(to: &body, remembering: &names)
  }

  /// Adds a change that mended forks, as it came; `forks` are the replicas of which the
  /// change alone doesn't show it.
  mutating func add(
    _ change: TableDelta<Document>, mending forks: ContiguousArray<ReplicaID>,
    clockTime time: UInt64
  ) {
    // Events may have other names from here on.
    frontier.forget()
    begin(forks.isEmpty ? .change : .mended)
    body.write(signedVarint: Int64(bitPattern: time &- clockTime))
    clockTime = time
    if !forks.isEmpty {
      body.write(varint: UInt64(forks.count))
      for replica in forks { replica.encode(to: &body) }
    }
    change.encodeBody(to: &body, remembering: &names)
  }

  /// The minimum size of a received change that is added in its original bytes.
  ///
  /// Shorter changes are encoded again: they shrink when they refer to names that were
  /// spelled out before.
  static let receivedSizeMin = 1 << 12

  /// Adds a change in the bytes in which it was received, with the time of the clock after
  /// it.
  mutating func add(
    _ change: TableDelta<Document>, received bytes: [UInt8], clockTime time: UInt64
  ) {
    frontier.note(change)
    begin(.received)
    body.write(signedVarint: Int64(bitPattern: time &- clockTime))
    clockTime = time
    body.write(varint: UInt64(bytes.count))
    body.write(bytes)
  }

  /// Adds a record that isn't a change.
  mutating func add(_ record: borrowing SegmentRecord) {
    switch record {
    case .change: break  // It has functions of its own.
    case .replica(let replica, let home):
      begin(.replica)
      replica.encode(to: &body)
      body.write(fixed: home)
    case .peers(let peers):
      begin(.peers)
      peers.encodeList(to: &body)
    case .peer(let peer):
      begin(.peer)
      peer.encode(to: &body)
    case .forgottenPeer(let replica):
      begin(.forgottenPeer)
      replica.encode(to: &body)
    case .line(let line, let former):
      begin(.line)
      body.write(fixed: line)
      body.write(fixed: former)
    case .schemaVersion(let version):
      begin(.schemaVersion)
      body.write(varint: version)
    case .end:
      begin(.end)
    case .document(let document):
      begin(.document)
      document.encode(to: &body)
    case .local(let changes):
      begin(.local)
      changes.encodeList(to: &body)
    }
  }

  /// Ends the batch and returns its bytes, after the given number of zeros.
  mutating func take(after room: Int) -> [UInt8] {
    let size = body.count
    let bytes = [UInt8](unsafeUninitializedCapacity: room + size) { target, count in
      for place in 0..<room { target.initializeElement(at: place, to: 0) }
      body.withBytes { body in
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(target)[room...])
          .copyMemory(from: body)
      }
      count = room + size
    }
    sizeSinceRefresh += size
    count = 0
    body.removeAll()
    return bytes
  }
}
