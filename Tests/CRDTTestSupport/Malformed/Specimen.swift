package import CRDTKit

/// Encoded bytes, and what must hold for whatever like them still decodes.
package struct Specimen: Sendable {
  package let name: String
  package let bytes: [UInt8]
  /// Decodes bytes and tries all that can be done with what they hold; says whether
  /// they decode.
  package let examine: @Sendable ([UInt8]) throws(Discrepancy) -> Bool
  /// Says whether bytes of an earlier version of the format hold the same.
  package let isRead: @Sendable ([UInt8]) -> Bool
  /// Decodes bytes and encodes what they hold; `nil` if they don't decode.
  package let encodedAnew: @Sendable ([UInt8]) -> [UInt8]?

  package init<Value: BinaryCodable>(
    _ name: String, _ value: Value, isRead: @escaping @Sendable ([UInt8]) -> Bool,
    examine: @escaping @Sendable ([UInt8]) throws(Discrepancy) -> Bool
  ) {
    self.name = name
    self.bytes = value.encoded()
    self.isRead = isRead
    self.examine = examine
    encodedAnew = { (try? Value(decoding: $0))?.encoded() }
  }
}

extension Specimen {
  /// A state of a table type, to be merged with others.
  package static func state<Root: RootShape>(
    _ name: String, of _: Root.Type, _ value: Root.Value, peers: [Root.Value]
  ) -> Specimen {
    let isRead: @Sendable ([UInt8]) -> Bool = { (try? Root.Value(decoding: $0)) == value }
    let others = Root.fewOperations.reduce(into: Root.make()) {
      Root.perform($1, on: &$0, by: ReplicaID(99))
    }
    return Specimen(name, value, isRead: isRead) { (bytes) throws(Discrepancy) in
      guard let decoded = try? Root.Value(decoding: bytes) else { return false }
      try check(decoded.encoded() == bytes, "decodes, but is encoded otherwise")
      try checkMerging(decoded, with: others)
      for peer in some(of: peers, for: bytes) {
        try use(peer.merging(decoded), for: bytes, as: Root.self)
        try decoded.merging(peer)._table.checkSoundness()
        guard isSampled(bytes) else { continue }
        var taker = peer
        _ = try? taker.merge(decoding: bytes)
        try taker._table.checkSoundness()
        try exchange(from: decoded, to: peer, as: Root.self)
        try exchange(from: peer, to: decoded, as: Root.self)
      }
      return true
    }
  }

  /// A delta of a table type, to be taken in by others.
  package static func delta<Root: RootShape>(
    _ name: String, of _: Root.Type, _ delta: Root.Value.Delta, peers: [Root.Value]
  ) -> Specimen {
    let isRead: @Sendable ([UInt8]) -> Bool = { does($0, what: delta, to: peers) }
    return Specimen(name, delta, isRead: isRead) { (bytes) throws(Discrepancy) in
      guard let decoded = try? Root.Value.Delta(decoding: bytes) else { return false }
      try check(decoded.encoded() == bytes, "decodes, but is encoded otherwise")
      for peer in some(of: peers, for: bytes) {
        var taker = peer
        do throws(DeltaError) {
          try taker.apply(decoded)
        } catch {
          try check(taker.encoded() == peer.encoded(), "refused (\(error)), but changed")
        }
        try use(taker, for: bytes, as: Root.self)
        _ = try? taker.apply(decoding: bytes)
        if isSampled(bytes) { try exchange(from: taker, to: peer, as: Root.self) }
      }
      return true
    }
  }

  /// Whether bytes of an earlier format hold a delta that changes each of some values, which
  /// were read from that format, as another does.
  static func does<Value: TableBacked>(
    _ bytes: [UInt8], what delta: TableDelta<Value>, to peers: [Value]
  ) -> Bool {
    guard let old = try? TableDelta<Value>(decoding: bytes) else { return false }
    return peers.allSatisfy { peer in
      var (left, right) = (peer, peer)
      for place in left._table.columns.indices {
        let column = left._table.columns[place]
        left._table.columns[place].origin = column.seen
        let same = old.changes.columns.first {
          $0.replica == column.replica && $0.seen == column.seen
        }
        if let same { left._table.columns[place].fingerprint = same.fingerprint }
      }
      let isTaken = (try? left.apply(old)) == (try? right.apply(delta))
      return isTaken && left == right
    }
  }

  /// Checks that merging a value with itself changes nothing, and with what another wrote comes
  /// to the same in either order.
  ///
  /// A stranger's value can hold other rows at the dots of a peer's, which no merge can set right.
  static func checkMerging<Value: TableBacked>(
    _ value: Value, with stranger: Value
  ) throws(Discrepancy) {
    try check(value.merging(value).encoded() == value.encoded(), "merging with itself changes it")
    let isApart = stranger.version.allSatisfy { value.version[$0.replica] == 0 }
    guard isApart else { return }
    let both = value.merging(stranger)
    try check(both.encoded() == stranger.merging(value).encoded(), "merging depends on the order")
    try check(both.merging(value).encoded() == both.encoded(), "merging it twice changes it")
  }

  /// One of the peers, by what the bytes are; all of them in long runs.
  static func some<Peer>(of peers: [Peer], for bytes: [UInt8]) -> ArraySlice<Peer> {
    if isLongRun { return peers[...] }
    let place = bytes.reduce(0) { $0 + Int($1) } % peers.count
    return peers[place...place]
  }

  /// Whether these bytes are among the one in eight with which everything is tried;
  /// all are in long runs.
  static func isSampled(_ bytes: [UInt8]) -> Bool {
    isLongRun || bytes.reduce(0, &+) % 8 == 0
  }

  private static func exchange<Root: RootShape>(
    from source: Root.Value, to target: Root.Value, as _: Root.Type
  ) throws(Discrepancy) {
    let delta = source.delta(since: target.version).encoded()
    guard let decoded = try? Root.Value.Delta(decoding: delta) else {
      throw Discrepancy("its delta does not decode")
    }
    try check(decoded.encoded() == delta, "its delta decodes to another")
    var taker = target
    _ = try? taker.apply(decoded)
    try taker._table.checkSoundness()
  }

  private static func use<Root: RootShape>(
    _ value: Root.Value, for bytes: [UInt8], as _: Root.Type
  ) throws(Discrepancy) {
    try value._table.checkSoundness()
    guard isSampled(bytes) else { return }
    _ = Root.reading(of: value)
    _ = ("\(value)", value.hashValue, value.digest)
    var changed = value
    for operation in Root.fewOperations {
      Root.perform(operation, on: &changed, by: ReplicaID(1))
      _ = changed.edit(by: ReplicaID(77)) { Root.perform(operation, in: &$0) }
    }
    try changed._table.checkSoundness()
    guard let again = try? Root.Value(decoding: changed.encoded()) else {
      throw Discrepancy("what was made of it does not decode")
    }
    try check(again == changed, "what was made of it decodes to another")
  }
}

extension Specimen {
  /// A state of a type without dots.
  package static func plain<Value>(
    _ name: String, _ value: Value, peers: [Value]
  ) -> Specimen where Value: DeltaMergeable & BinaryCodable & Hashable {
    let new = value.encoded()
    let isRead: @Sendable ([UInt8]) -> Bool = { (try? Value(decoding: $0).encoded()) == new }
    return Specimen(name, value, isRead: isRead) { (bytes) throws(Discrepancy) in
      guard let decoded = try? Value(decoding: bytes) else { return false }
      try check(decoded.encoded() == bytes, "decodes, but is encoded otherwise")
      _ = ("\(decoded)", decoded.hashValue)
      for peer in peers {
        try check(peer.merging(decoded) == decoded.merging(peer), "does not commute")
        var taker = peer
        _ = try? taker.apply(decoded.delta(since: peer.version))
        try check(taker == peer.merging(decoded), "its delta does something else")
      }
      return true
    }
  }

  /// A value that is only to be read.
  package static func value<Value>(_ name: String, _ value: Value) -> Specimen
  where Value: BinaryCodable {
    let new = value.encoded()
    let isRead: @Sendable ([UInt8]) -> Bool = { (try? Value(decoding: $0).encoded()) == new }
    return Specimen(name, value, isRead: isRead) { (bytes) throws(Discrepancy) in
      guard let decoded = try? Value(decoding: bytes) else { return false }
      try check(decoded.encoded() == bytes, "decodes, but is encoded otherwise")
      return true
    }
  }
}
