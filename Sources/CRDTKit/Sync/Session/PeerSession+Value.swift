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
      // Unless the first transfer of the last stream goes on, nothing was told yet. A
      // peer that tells its version anew has passed over parcels; one that knows no
      // parcels has read all, and goes on with the names in it.
      if isHello ? !link.isTransferring : link.speaksParcels { told = nil }
      // With all events of these the peer can mend the fork; its answer mends it here.
      let forks = value.table.forks(from: heads)
      if forks.count > Reissue.countMax { throw .fork(forks[Reissue.countMax]) }
      link.forgetPeerHas(forks)
      // The peer may not see it: what it was told need not reach to where the lines part.
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
      // What the peer has of their events need not be what is here now.
      link.forgetPeerHas(mended)
    case .parcel(let reader, let isFirst):
      if isFirst { heard = nil }
      var forked: ReplicaID?
      let delta = try decodeParcel(reader, in: value.table, forked: &forked)
      // All of its base that it doesn't name was seen: that is how it was read.
      let part = TableDelta<Value>(delta.changes.withNarrowBase)
      guard try !asksForForks(part, value, &actions), !passesOver(part, value) else { return }
      if let forked, value.table.contains(part.base) {
        return try askForAll(of: forked, part, value, &actions)
      }
      guard let mended = try takeIn(delta, as: part, into: &value, accepting: accepting, &actions)
      else { return }
      link.tookParcel(news: part.version)
      link.forgetPeerHas(mended)
    case .digest(let digest, let eventCount):
      try compare(digest, eventCount: eventCount, with: value, &actions)
    }
  }

  /// Asks for a new replica where this one's events are known that were lost here, or
  /// where the peer goes by the same name.
  @inlinable
  mutating func checkReplica(
    _ version: VersionVector, _ value: Value, besides forks: [ReplicaID] = [],
    _ actions: inout [Action]
  ) {
    let isBehind = version[replica] > value.table.seen(of: replica) && !forks.contains(replica)
    guard !hasAskedForReplica, isBehind || link.isNamesake else { return }
    hasAskedForReplica = true
    actions.append(.takeNewReplica)
  }

  /// Takes in what the peer has sent, or asks for it anew; gives the replicas of which a
  /// fork was mended, or `nil` where nothing was taken in.
  ///
  /// The part is the same delta, with as much of its base as is to be checked.
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
        let frames = try link.askAgain(missing: missing, heads: value.table.heads)
        actions += frames.map { .send($0) }
        return nil
      case .fork: isForked = true
      case .malformed: throw SyncFailure(error)
      }
    }
    let isWhole =
      part.base.isEmpty && part.changes.columns.count >= value.table.columns.count
    let isCompared = link.awaitsContents && isWhole
    if isCompared {
      // What differs shows only where nothing else does.
      guard value.table.hasSeenJust(news) else { throw .differentContents }
      link.awaitsContents = false
      contentsCompared = value
    }
    guard isForked || isCompared || !value.table.contains(news) else { return [] }
    let count = value.table.replicaCount(with: news)
    guard count <= link.replicasMax else {
      throw .tooManyReplicas(count, max: link.replicasMax)
    }
    do { try accepting(delta) } catch { throw .refused("\(error)") }
    if !isForked { checkReplica(news, value, &actions) }
    let rowsBefore = value.table.rowCount
    let (isNew, mended): (Bool, ContiguousArray<Mended>)
    do throws(DeltaError) {
      (isNew, mended) = try value.table.apply(part.changes, mending: [])
    } catch {
      guard case .fork(let forked) = error else { throw SyncFailure(error) }
      try askForAll(of: forked, part, value, &actions)
      return nil
    }
    let replaced = rowsBefore + part.changes.rowCount - value.table.rowCount
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

  /// Sends what the peer lacks: in parcels while it is little, else in a transfer, as
  /// much of it as the window lets.
  @inlinable
  mutating func pump(_ value: Value, deltaSince: DeltaSource, _ actions: inout [Action]) {
    if !uncompared.isEmpty { compareHeads(with: value) }
    while link.mayBegin, let delta = dueDelta(of: value, deltaSince: deltaSince) {
      if let parcel = parcel(of: delta) {
        actions.append(.send(parcel))
        // A source need not give all at once.
        link.isTransferDue = value.table.hasNews(since: link.sentVersion)
      } else if !link.isAwaitingParcels {
        link.isTransferDue = false
        beginTransfer(of: delta)
      }
    }
    continueTransfer(&actions)
    if let frame = link.nextTakenFrame() { actions.append(.send(frame)) }
  }

  /// Sends as much of the transfer that is under way as the window lets.
  @inlinable
  mutating func continueTransfer(_ actions: inout [Action]) {
    while let frame = link.nextTransferFrame() { actions.append(.send(frame)) }
  }

  /// What the peer lacks; `nil` where it lacks nothing, or where the source has nothing
  /// of it now: then it stays due.
  @inlinable
  mutating func dueDelta(of value: Value, deltaSince: DeltaSource) -> Value.Delta? {
    let version = link.sentVersion
    guard value.table.hasNews(since: version) else {
      link.isTransferDue = false
      link.isPulled = false
      return nil
    }
    guard let delta = deltaSince(value, version) else { return nil }
    // An empty one would be acknowledged and followed by the next one for ever.
    return version.contains(delta.version) ? nil : delta
  }

  /// Sends a delta that fits into a parcel; `nil` where it does not.
  @inlinable
  mutating func parcel(of delta: Value.Delta) -> [UInt8]? {
    guard link.takesParcels else { return nil }
    guard let rows = delta.changes.parcelRows, rows <= link.parcelBytesMax else {
      link.noteTooLong()
      return nil
    }
    // A transfer may have come between, whose names the first parcel does not go on from.
    if link.parcels.restarts { told = nil }
    var writer = ByteWriter(capacity: 128)
    link.beginParcel(in: &writer)
    // The writer changes the memory, and must be alone in that.
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

  /// Begins a transfer, which can be read without anything that was told before, by
  /// peers that speak parcels: so another stream can go on with it.
  @inlinable
  mutating func beginTransfer(of delta: Value.Delta) {
    if link.speaksParcels { told = nil }
    let isFirst = told == nil
    link.offer(
      encodeTransfer(delta), base: delta.base, news: delta.version, standsAlone: isFirst)
  }

  /// The bytes of a transfer: names that an earlier one on this stream has told
  /// are not repeated.
  @inlinable
  mutating func encodeTransfer(_ delta: Value.Delta) -> [UInt8] {
    delta.encoded(remembering: &told)
  }

  /// The delta that a transfer brings.
  @inlinable
  mutating func decodeTransfer(_ bytes: [UInt8]) throws(SyncFailure) -> Value.Delta {
    if link.speaksParcels { heard = nil }
    // Its bytes are there besides until it is taken in.
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
  /// The delta that a parcel brings to who has a table.
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
    return TableDelta(delta)
  }
}

extension DotTable {
  /// The version, with the fingerprint of each replica's events.
  @inlinable
  var heads: ColumnHeads {
    ColumnHeads(ContiguousArray(columns.map { $0.head(after: 0) }))
  }

  /// How many replicas there are in the table or in a version.
  @inlinable
  func replicaCount(with version: VersionVector) -> Int {
    version.reduce(columns.count) { $0 &+ (column(of: $1.replica) == nil ? 1 : 0) }
  }

  /// Whether there are events that were not seen with a version.
  ///
  /// - Complexity: O(number of replicas); no more is looked at than it takes to find one.
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

  /// The replicas under whose names the other side has seen other events, as far as the
  /// fingerprints tell, or since what it has seen goes by another name here.
  ///
  /// Of more than can be mended at once it gives one more than those.
  ///
  /// - Complexity: O(number of replicas and of stretches that are kept).
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

  /// The replicas of heads whose last stretch was taken in under another name.
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
