import CRDTKit

/// What a store keeps beside its document: who writes, when it last did, and who
/// its peers are.
struct StoreIdentity: Equatable {
  /// The replica that writes here.
  var replica: ReplicaID
  /// The number that tells the folder from every copy of it: see ``StoreHome``.
  ///
  /// Where the folder has another one, the store is a copy and needs a replica of its own.
  var home: UInt64
  /// The time below which no stamp is made any more.
  var clockTime: UInt64 = 0
  /// The version of the app's schema that the records were last migrated to.
  var schemaVersion: UInt64 = 0
  /// The replicas that were in touch, in ascending order.
  var peers: [PeerRecord] = []
  /// The document that the store has a copy of; `nil` where none was ever known, as in
  /// stores of earlier versions.
  ///
  /// It is open where it was made with the store; with the first event that no longer
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
    peers = try [PeerRecord](listFrom: &reader)
    document = reader.formatVersion > 1 ? try DocumentIdentity?(from: &reader) : nil
  }

  /// Takes in a record of the log that isn't a change.
  mutating func take(_ record: SegmentRecord) {
    switch record {
    case .replica(let replica, let home): (self.replica, self.home) = (replica, home)
    case .peers(let peers): self.peers = peers
    case .peer(let peer): note(peer)
    case .forgottenPeer(let replica): peers.removeAll { $0.replica == replica }
    case .schemaVersion(let version): schemaVersion = version
    case .document(let document): self.document = document
    case .change, .local, .end, .line: break
    }
  }

  /// How many peers are known at most: a stranger may come under any number of names.
  static let peersMax = 1_024

  /// Takes note of what a peer has; where there are too many, gives the one that was not heard
  /// of for the longest time, which is forgotten.
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

/// What tells a store's folder from every copy of it.
///
/// It is made of the identity of `LOCK`, a file that is made with the store and never changed
/// again, and of the number of the folder, which is another in a copy that is made of hard
/// links. The device is left out: systems number devices anew when they start. So is the time
/// at which `LOCK` was made: it is that of its last change, and not every system tells it, so
/// that the same folder would look like another from there.
struct StoreHome: Equatable {
  /// The number that the manifest, snapshots and the log hold.
  ///
  /// Its highest bit is set, so that it is no inode's number, of which all earlier versions of
  /// the package made their homes; 0 stands for none, where there is no `LOCK`.
  let value: UInt64
  /// The home that earlier versions made of the same folder: the number of `LOCK`.
  let earlierValue: UInt64

  /// The home of a folder whose files are not to be written.
  static let none = StoreHome(value: 0, earlierValue: 0)

  /// Where a folder is, seen from the home that its files hold.
  enum Place {
    /// Where they were written.
    case home
    /// Where an earlier version wrote them, as far as it could tell.
    case earlierHome
    /// Elsewhere: the folder is a copy, or was changed from outside.
    case elsewhere
  }

  /// Says whether files that hold a home were written here.
  func place(ofHome recorded: UInt64) -> Place {
    if recorded == value { return .home }
    return recorded == earlierValue ? .earlierHome : .elsewhere
  }
}

extension StoreHome {
  /// The home of a folder with its `LOCK`.
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
