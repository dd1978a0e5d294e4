import CRDTKit

/// Plays a schedule on the real type and on the plain model side by side, and
/// checks after each step that they agree, that states with the same version are
/// the same, bytes included, and that copies stay as they were.
package struct Player<Root: RootShape> {
  typealias Value = Root.Value

  struct Replica {
    let id: ReplicaID
    var value: Value
    var model: ReferenceTable
  }

  struct Message {
    let delta: Value.Delta
    let model: ReferenceDelta
  }

  /// What a version was seen to mean.
  struct Sighting {
    let value: Value
    let bytes: [UInt8]
    let description: String
  }

  var replicas: [Replica]
  var messages: [Message] = []
  var versions: [(real: VersionVector, model: [ReplicaID: UInt64])] = [([:], [:])]
  var sightings: [VersionVector: Sighting] = [:]
  var copies: [(value: Value, bytes: [UInt8], reading: String)] = []
  let readsInPlace: Bool

  init(_ schedule: Schedule) {
    // Names whose order is not that of the replicas' numbers.
    let names: [UInt64] = [5, 1, .max, 3, 0, 1 << 60]
    replicas = (0..<schedule.replicaCount).map {
      Replica(id: ReplicaID(names[$0]), value: Root.make(), model: ReferenceTable())
    }
    readsInPlace = schedule.readsInPlace
  }

  package static func play(_ schedule: Schedule) throws(Discrepancy) {
    var player = Player(schedule)
    for step in schedule.steps {
      do {
        try player.play(step)
      } catch {
        throw Discrepancy("at \(step): \(error)")
      }
    }
    do {
      try player.heal()
      try player.checkCopies()
    } catch {
      throw Discrepancy("after all steps: \(error)")
    }
  }
}

extension Player {
  /// Checks all there is to check about a replica, and remembers its version.
  mutating func inspect(_ place: Int) throws(Discrepancy) {
    let replica = replicas[place]
    try replica.value._table.checkSoundness()
    let version = replica.value.version
    let seen = version.reduce(into: [:]) { $0[$1.replica] = $1.counter }
    try check(seen == replica.model.seen, "version \(version), model \(replica.model.seen)")
    let bytes = replica.value.encoded()
    let digest = replica.value.contentDigest
    try check(digest.description == referenceDigest(of: replica.value._table), "\(digest) is wrong")
    try compare(replica, with: bytes)
    if let sighting = sightings[version] {
      try check(sighting.bytes == bytes, "two states of version \(version) differ in bytes")
      try check(sighting.value == replica.value, "two states of \(version) are not ==")
      try check(
        sighting.value.hashValue == replica.value.hashValue, "two states of \(version) hash apart")
      try check(
        sighting.description == "\(replica.value)",
        "\(version) reads \(replica.value) here, \(sighting.description) there")
    } else {
      sightings[version] = Sighting(
        value: replica.value, bytes: bytes, description: "\(replica.value)")
      versions.append((version, seen))
    }
  }

  /// Compares a replica's readings with the model's.
  private func compare(_ replica: Replica, with bytes: [UInt8]) throws(Discrepancy) {
    let model = Root.reading(of: replica.model, under: [])
    if readsInPlace {
      let reading = Root.reading(of: replica.value)
      try check(reading == model, "reads \(reading), model \(model)")
      return
    }
    do {
      let decoded = try Value(decoding: bytes)
      let reading = Root.reading(of: decoded)
      try check(reading == model, "decoded, reads \(reading), model \(model)")
      try check(decoded == replica.value, "is another when decoded")
      try check(decoded.encoded() == bytes, "has other bytes when decoded")
      try check(
        decoded.contentDigest == replica.value.contentDigest, "has another digest when decoded")
    } catch let error as DecodingFailure {
      throw Discrepancy("does not decode: \(error)")
    } catch let error as Discrepancy {
      throw error
    } catch {
      throw Discrepancy("\(error)")
    }
  }

  /// Checks that copies are as they were when they were made.
  func checkCopies() throws(Discrepancy) {
    for copy in copies {
      try copy.value._table.checkSoundness()
      try check(copy.value.encoded() == copy.bytes, "a copy has changed its bytes")
      try check(
        copy.value.contentDigest.description == referenceDigest(of: copy.value._table),
        "a copy's digest is wrong")
      try check(Root.reading(of: copy.value) == copy.reading, "a copy reads otherwise")
    }
  }
}
