import CRDTKit

/// The data that a store keeps beside its document: the writing replica, the time of its
/// last write, and its peers.
struct StoreIdentity: Equatable {
  /// The replica that writes here.
  var replica: ReplicaID
  /// The number that distinguishes the folder from every copy of it: see ``StoreHome``.
  ///
  /// If the folder has another number, the store is a copy and needs a replica of its own.
  var home: UInt64
  /// The time below which no more stamps are made.
  var clockTime: UInt64 = 0
  /// The version of the app's schema that the records were last migrated to.
  var schemaVersion: UInt64 = 0
  /// The replicas that were in touch, in ascending order.
  var peers: [PeerRecord] = []
  /// The document that the store has a copy of; `nil` if none was ever known, as in stores
  /// of earlier versions.
  ///
  /// It is open if it was created with the store. With the first event, that no longer
  /// counts: see ``StoreCore/ownDocument``.
  var document: DocumentIdentity?
}

extension StoreIdentity {
  func encode(to writer: inout ByteWriter) {
    replica.encode(to: &writer)
    writer.write(fixed: home)
    writer.write(varint: clockTime)
    writer.write(varint: schemaVersion)
    peers.encodeList(to: &writer)
    document.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    replica = try ReplicaID(from: &reader)
    home = try reader.readFixed(UInt64.self)
    clockTime = try reader.readVarint()
    schemaVersion = try reader.readVarint()
    peers = Self.latest(try [PeerRecord](listFrom: &reader))
    document = reader.formatVersion > 1 ? try DocumentIdentity?(from: &reader) : nil
  }

  /// Applies a record of the log that isn't a change.
  mutating func take(_ record: SegmentRecord) {
    switch record {
    case .replica(let replica, let home): (self.replica, self.home) = (replica, home)
    case .peers(let peers): self.peers = Self.latest(peers)
    case .peer(let peer): note(peer)
    case .forgottenPeer(let replica): peers.removeAll { $0.replica == replica }
    case .schemaVersion(let version): schemaVersion = version
    case .document(let document): self.document = document
    case .change, .local, .end, .line: break
    }
  }

  /// The maximum number of known peers: a stranger may use any number of names.
  static let peersMax = 1_024

  /// At most so many of some peers: those that were last in touch.
  static func latest(_ peers: [PeerRecord]) -> [PeerRecord] {
    guard peers.count > peersMax else { return peers }
    return peers.sorted { $0.lastContactMilliseconds > $1.lastContactMilliseconds }
      .prefix(peersMax).sorted { $0.replica < $1.replica }
  }

  /// Notes what a peer has; if there are too many peers, forgets and returns the one that
  /// was silent for the longest time.
  @discardableResult
  mutating func note(_ peer: PeerRecord) -> ReplicaID? {
    let place = peers.firstIndex { $0.replica >= peer.replica } ?? peers.count
    if place < peers.count, peers[place].replica == peer.replica {
      peers[place] = peer
      return nil
    }
    peers.insert(peer, at: place)
    guard peers.count > Self.peersMax else { return nil }
    let others = peers.indices.filter { $0 != place }
    let oldest = others.min {
      peers[$0].lastContactMilliseconds < peers[$1].lastContactMilliseconds
    }
    return oldest.map { peers.remove(at: $0).replica }
  }
}

/// The identity that distinguishes a store's folder from every copy of it.
///
/// It is made of the identity of `LOCK`, a file that is created with the store and never
/// changed, and of the number of the folder, which differs in a copy made of hard links.
///
/// The device is left out: systems number devices anew when they start. The creation time
/// of `LOCK` is left out too: it equals the time of its last change, and not every system
/// reports it, so the same folder would look different from such a system.
struct StoreHome: Equatable {
  /// The number in the manifest, the snapshots and the log.
  ///
  /// Its highest bit is set, so it differs from every inode number, which all earlier
  /// versions of the package used. 0 stands for none, if there is no `LOCK`.
  let value: UInt64
  /// The number that earlier versions used for the same folder: the inode number of `LOCK`.
  let earlierValue: UInt64

  /// The identity of a folder whose files are not to be written.
  static let none = StoreHome(value: 0, earlierValue: 0)

  /// Where a folder is, compared to the identity in its files.
  enum Place {
    /// Where the files were written.
    case home
    /// Where an earlier version wrote the files, as far as it could tell.
    case earlierHome
    /// Elsewhere: the folder is a copy, or was changed from outside.
    case elsewhere
  }

  /// Returns whether files with a recorded identity were written here.
  func place(ofHome recorded: UInt64) -> Place {
    if recorded == value { return .home }
    return recorded == earlierValue ? .earlierHome : .elsewhere
  }
}

extension StoreHome {
  /// The identity of a folder with its `LOCK`.
  init(lock: FileIdentity, folder: FileIdentity) {
    var fields = ByteWriter()
    for byte in "home".utf8 { fields.write(byte) }
    fields.write(fixed: lock.number)
    fields.write(fixed: UInt64(bitPattern: lock.changeSeconds))
    fields.write(fixed: UInt64(bitPattern: lock.changeNanoseconds))
    fields.write(fixed: folder.number)
    self.init(value: SHA256.prefix(of: fields.finish()) | 1 << 63, earlierValue: lock.number)
  }
}
