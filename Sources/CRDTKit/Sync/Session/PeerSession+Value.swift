extension PeerSession {
  @inlinable
  mutating func handle(
    _ event: PeerLink.Event, with value: inout Value,
    accepting: (Value.Delta) throws -> Void, _ actions: inout [Action]
  ) throws(SyncFailure) {
    switch event {
    case .send(let bytes):
      actions.append(.send(bytes))
    case .learnedHeads(let heads, let isHello):
      // Unless the first transfer of the last stream continues, no names were sent yet. A
      // peer that sends its version again has skipped parcels. A peer that knows no
      // parcels has decoded everything, and continues with those names.
      if isHello ? !link.isTransferring : link.speaksParcels { told = nil }
      // All events of these let the peer mend the fork; its answer mends it here.
      let forks = value._table.forks(from: heads)
      if forks.count > Reissue.countMax { throw .fork(forks[Reissue.countMax]) }
      link.forgetPeerHas(forks)
      // The peer may not see the fork: the heads it was sent may end before the lines
      // part.
      if link.speaksParcels { noteOtherLines(of: forks) }
      noteUncompared(heads, value)
      checkReplica(link.peerVersion, value, besides: forks, &actions)
    case .received(let bytes):
      let delta = try decodeTransfer(bytes)
      guard try !asksForForks(delta, value, &actions), !passesOver(delta, value) else { return }
      guard let mended = try takeIn(delta, as: delta, into: &value, accepting: accepting, &actions)
      else { return }
      actions.append(.send(link.acknowledge(base: delta.base, news: delta.version)))
      for column in delta.changes.columns where delta.base[column.replica] == 0 {
        link.correctPeerHas(column.replica, column.seen)
      }
      // The peer's events of these replicas may differ from those here now.
      link.forgetPeerHas(mended)
    case .parcel(let reader, let isFirst):
      if isFirst { heard = nil }
      var forked: ReplicaID?
      let part = try decodeParcel(reader, in: value._table, forked: &forked)
      guard try !asksForForks(part, value, &actions), !passesOver(part, value) else { return }
      if let forked, value._table.contains(part.base) {
        return try askForAll(of: forked, part, value, &actions)
      }
      let delta = namesWholeBases ? part.based(onAllOf: value._table.version) : part
      guard let mended = try takeIn(delta, as: part, into: &value, accepting: accepting, &actions)
      else { return }
      link.tookParcel(news: part.version)
      link.forgetPeerHas(mended)
    case .digest(let digest, let eventCount):
      try compare(digest, eventCount: eventCount, with: value, &actions)
    }
  }

  /// Requests a new replica if the peer knows events of this one that were lost here, or
  /// writes under the same name.
  @inlinable
  mutating func checkReplica(
    _ version: VersionVector, _ value: Value, besides forks: [ReplicaID] = [],
    _ actions: inout [Action]
  ) {
    let isBehind = version[replica] > value._table.seen(of: replica) && !forks.contains(replica)
    guard !hasAskedForReplica, isBehind || link.isNamesake else { return }
    hasAskedForReplica = true
    actions.append(.takeNewReplica)
  }

  /// Applies the peer's delta, or requests it again; returns the replicas whose fork was
  /// mended, or `nil` if nothing was applied.
  ///
  /// `part` is the same delta, with only the part of the base that must be checked.
  @inlinable
  mutating func takeIn(
    _ delta: Value.Delta, as part: Value.Delta, into value: inout Value,
    accepting: (Value.Delta) throws -> Void, _ actions: inout [Action]
  ) throws(SyncFailure) -> [ReplicaID]? {
    let news = part.version
    var isForked = false
    do throws(DeltaError) {
      try value.check(part)
    } catch {
      switch error {
      case .gap(let missing):
        let frames = try link.askAgain(missing: missing, heads: value._table.heads)
        actions += frames.map { .send($0) }
        return nil
      case .fork: isForked = true
      case .malformed: throw SyncFailure(error)
      }
    }
    let isWhole =
      part.base.isEmpty && part.changes.columns.count >= value._table.columns.count
    let isCompared = link.awaitsContents && isWhole
    if isCompared {
      // The difference shows only if nothing else differs.
      guard value._table.hasSeenJust(news) else { throw .differentContents }
      link.awaitsContents = false
      contentsCompared = value
    }
    guard isForked || isCompared || !value._table.contains(news) else { return [] }
    let count = value._table.replicaCount(with: news)
    guard count <= link.maximumReplicas else {
      throw .tooManyReplicas(count, max: link.maximumReplicas)
    }
    do { try accepting(delta) } catch { throw .refused("\(error)") }
    if !isForked { checkReplica(news, value, &actions) }
    let rowsBefore = value._table.rowCount
    let (isNew, mended): (Bool, ContiguousArray<Mended>)
    do throws(DeltaError) {
      (isNew, mended) = try value._table.apply(part.changes, mending: [])
    } catch {
      guard case .fork(let forked) = error else { throw SyncFailure(error) }
      try askForAll(of: forked, part, value, &actions)
      return nil
    }
    let replaced = rowsBefore + part.changes.rowCount - value._table.rowCount
    link.countMemory(givenBack: replaced * Column<Value.RowKey, Value.RowPayload>.rowSize)
    if link.isRecountDue { link.recountMemory(of: value) }
    if !hasAskedForReplica, mended.contains(where: { $0.isMine && $0.replica.isName(of: replica) })
    {
      hasAskedForReplica = true
      actions.append(.takeNewReplica)
    }
    try link.noteMended(mended.count)
    noteUnsettled(mended)
    if isNew { actions.append(.learned(delta)) }
    return mended.map(\.replica)
  }

  /// Sends the events that the peer lacks: a small delta in parcels, a large one in a
  /// transfer, as far as the window allows.
  @inlinable
  mutating func pump(_ value: Value, deltaSince: DeltaSource, _ actions: inout [Action]) {
    if !uncompared.isEmpty { compareHeads(with: value) }
    while link.mayBegin, let delta = dueDelta(of: value, deltaSince: deltaSince) {
      if let parcel = parcel(of: delta) {
        actions.append(.send(parcel))
        // A source may return only some of the events.
        link.isTransferDue = value._table.hasNews(since: link.sentVersion)
      } else if !link.isAwaitingParcels {
        link.isTransferDue = false
        beginTransfer(of: delta)
      }
    }
    continueTransfer(&actions)
    if let frame = link.nextTakenFrame() { actions.append(.send(frame)) }
  }

  /// Sends as much of the current transfer as the window allows.
  @inlinable
  mutating func continueTransfer(_ actions: inout [Action]) {
    while let frame = link.nextTransferFrame() { actions.append(.send(frame)) }
  }

  /// The delta that the peer lacks; `nil` if it lacks nothing, or if the source has none
  /// now and it stays pending.
  @inlinable
  mutating func dueDelta(of value: Value, deltaSince: DeltaSource) -> Value.Delta? {
    let version = link.sentVersion
    guard value._table.hasNews(since: version) else {
      link.isTransferDue = false
      link.isPulled = false
      return nil
    }
    guard let delta = deltaSince(value, version) else { return nil }
    // An empty delta would be acknowledged and followed by the next one for ever.
    return version.contains(delta.version) ? nil : delta
  }

  /// Encodes a delta as a parcel; `nil` if it does not fit.
  @inlinable
  mutating func parcel(of delta: Value.Delta) -> [UInt8]? {
    guard link.takesParcels else { return nil }
    guard let rows = delta.changes.parcelRows, rows <= link.parcelBytesMax else {
      link.noteTooLong()
      return nil
    }
    // A transfer may have come between, and the first parcel does not continue its names.
    if link.parcels.restarts { told = nil }
    var writer = ByteWriter(capacity: 128)
    link.beginParcel(in: &writer)
    // The writer changes the memory, and must be its only owner.
    if !isKnownUniquelyReferenced(&told) { told = told?.copied() }
    swap(&writer.memory, &told)
    delta.changes.encodeParcel(to: &writer, after: link.parcels.told)
    swap(&writer.memory, &told)
    guard writer.count <= link.parcelBytesMax else {
      link.noteTooLong()
      return nil
    }
    link.parcels.told.note(delta.changes)
    return link.sendParcel(writer.finish(), news: delta.version)
  }

  /// Starts a transfer.
  ///
  /// For peers that speak parcels it can be decoded by itself, so that another stream can
  /// continue it.
  @inlinable
  mutating func beginTransfer(of delta: Value.Delta) {
    if link.speaksParcels { told = nil }
    let isFirst = told == nil
    link.offer(
      encodeTransfer(delta), base: delta.base, news: delta.version, standsAlone: isFirst)
  }

  /// Encodes a transfer, without the names that an earlier one on this stream has sent.
  @inlinable
  mutating func encodeTransfer(_ delta: Value.Delta) -> [UInt8] {
    delta.encoded(remembering: &told)
  }

  /// Decodes the delta of a transfer.
  @inlinable
  mutating func decodeTransfer(_ bytes: [UInt8]) throws(SyncFailure) -> Value.Delta {
    if link.speaksParcels { heard = nil }
    // The encoded bytes also take memory until the delta is applied.
    let room = max(0, link.memoryLeft - bytes.count)
    var left = room
    do throws(DecodingFailure) {
      let delta = try Value.Delta(decoding: bytes, memoryLeft: &left, remembering: &heard)
      link.memoryTaken = room - left
      return delta
    } catch {
      throw link.refusal(for: error, withRoom: room)
    }
  }
}

extension PeerSession {
  /// Decodes the delta of a parcel, relative to a table.
  @inlinable
  mutating func decodeParcel(
    _ reader: ByteReader, in table: DotTable<Value.RowKey, Value.RowPayload>,
    forked: inout ReplicaID?
  ) throws(SyncFailure) -> Value.Delta {
    var reader = reader
    let room = link.memoryLeft
    reader.limitMemory(to: room)
    swap(&reader.memory, &heard)
    let delta: DotTable<Value.RowKey, Value.RowPayload>.Delta
    do throws(DecodingFailure) {
      delta = try DotTable<Value.RowKey, Value.RowPayload>.Delta(
        parcelFrom: &reader, after: link.parcels.heard, in: table, forked: &forked)
    } catch {
      throw link.refusal(for: error, withRoom: room)
    }
    link.memoryTaken = reader.memoryTaken
    swap(&reader.memory, &heard)
    link.parcels.heard.note(delta)
    // Parcels are noted even if they are passed over while a fork is being mended.
    let known = link.parcels.heard.replicas.count
    guard known <= link.maximumReplicas else {
      throw .tooManyReplicas(known, max: link.maximumReplicas)
    }
    return TableDelta(delta)
  }
}

extension DotTable {
  /// The version, with the fingerprint of each replica's events.
  @inlinable
  var heads: ColumnHeads {
    ColumnHeads(ContiguousArray(columns.map { $0.head(after: 0) }))
  }

  /// The number of replicas in the table or in a version.
  @inlinable
  func replicaCount(with version: VersionVector) -> Int {
    version.reduce(columns.count) { $0 &+ (column(of: $1.replica) == nil ? 1 : 0) }
  }

  /// Whether the table has events that a version lacks.
  ///
  /// - Complexity: O(number of replicas); it stops at the first event found.
  @inlinable
  func hasNews(since version: VersionVector) -> Bool {
    var known = 0
    for place in columns.indices {
      let replica = columns[place].replica
      while known < version.count, version[known].replica < replica { known &+= 1 }
      guard known < version.count, version[known].replica == replica,
        version[known].counter >= columns[place].seen
      else { return true }
    }
    return false
  }

  /// The replicas for which the other side has seen other events.
  ///
  /// The fingerprints show these, or the other side's events have another name here. If
  /// there are more than can be mended at once, the result has one more than that.
  ///
  /// - Complexity: O(number of replicas and of kept stretches).
  @inlinable
  func forks(from heads: ColumnHeads) -> [ReplicaID] {
    var forks: [ReplicaID] = []
    var ahead: [ColumnHeads.Head] = []
    for head in heads.heads {
      guard let place = column(of: head.replica) else { continue }
      if columns[place].contradicts(head) {
        forks.append(head.replica)
        if forks.count > Reissue.countMax { return forks }
      } else if let last = head.stretches.kept.last, last.first > columns[place].seen {
        ahead.append(head)
      }
    }
    guard !ahead.isEmpty else { return forks }
    forks += renamed(among: ahead)
    return Array(forks.sorted().prefix(Reissue.countMax + 1))
  }

  /// The replicas whose last stretch was applied here under another name.
  @usableFromInline
  func renamed(among heads: [ColumnHeads.Head]) -> [ReplicaID] {
    var wanted: Set<Stretches.Name> = []
    for head in heads { if let last = head.stretches.kept.last { wanted.insert(last.name) } }
    var holders: [Stretches.Name: (replica: ReplicaID, isAlone: Bool)] = [:]
    for column in columns {
      for (place, stretch) in column.stretches.kept.enumerated()
      where wanted.contains(stretch.name) && column.eventCount(at: place) > 0 {
        let known = holders[stretch.name]?.replica
        holders[stretch.name] = (column.replica, known == nil || known == column.replica)
      }
    }
    return heads.filter { head in
      guard let last = head.stretches.kept.last, let holder = holders[last.name] else {
        return false
      }
      return holder.replica != head.replica || !holder.isAlone
    }.map(\.replica)
  }
}
