/// The point at which two columns of one replica part.
struct Parting {
  let reissue: Reissue
  /// Whether the events of the first column get the new name.
  let isMine: Bool
}

extension Column {
  /// Returns the point at which this column and another one, with events of two lines,
  /// part.
  ///
  /// The lines part where a stretch begins that only one of them has. The line without
  /// that stretch keeps the name. If both lines begin a stretch, the line whose stretch
  /// begins earlier gets the new name; if both begin at the same event, the line whose
  /// random number is greater. If no stretch shows the point, it is after the last mark
  /// that both have, and the line with fewer events gets the new name.
  func parting(from other: Column) -> Parting {
    if let found = stretches.parting(from: other.stretches, seen: seen, other.seen) {
      let (line, rest) = found.isMine ? (self, other) : (other, self)
      let (stretch, parting) = (found.stretch, found.stretch.first - 1)
      let isAllKept = line.stretches.count - stretch.number < Stretches.kept
      if parting == 0 || rest.mark(at: parting) ?? stretch.before == stretch.before, isAllKept {
        let name = Reissue.name(
          for: [UInt64(stretch.nonce), UInt64(stretch.before)], of: replica)
        return Parting(
          reissue: Reissue(
            replica: replica, parting: parting, stretch: stretch.number, name: name),
          isMine: found.isMine)
      }
    }
    return partingByMarks(from: other)
  }

  /// Returns the point at which the columns part if no stretch shows it.
  ///
  /// The name of a line is made from its first mark that differs. So all copies of a line
  /// get the same name, whatever events follow.
  private func partingByMarks(from other: Column) -> Parting {
    // If the fingerprints show no difference, compare the rows.
    let isSame = seen == other.seen && fingerprint == other.fingerprint
    let (mine, theirs) = isSame ? (digest?.words ?? [], other.digest?.words ?? []) : ([], [])
    let isMine =
      isSame
      ? mine.lexicographicallyPrecedes(theirs)
      : (seen, fingerprint) < (other.seen, other.fingerprint)
    let line = isMine ? self : other
    let (same, next) = isSame ? (0, seen) : marksAround(other)
    let name = Reissue.name(
      for: [replica.rawValue, same, next, UInt64(line.mark(at: next) ?? line.fingerprint)]
        + (isMine ? mine : theirs), of: replica)
    let parting = Swift.min(beforeInsertion(at: same), other.beforeInsertion(at: same))
    return Parting(
      reissue: Reissue(replica: replica, parting: parting, stretch: nil, name: name),
      isMine: isMine)
  }

  /// Returns the last event up to a counter that is between two changes of a list; the counter
  /// in a table without a list.
  ///
  /// Only elements decide, because those of a line stay in all its copies.
  private func beforeInsertion(at counter: UInt64) -> UInt64 {
    Key.self is any OwnsElements.Type ? texts.beforeInsertion(at: counter) : counter
  }

  /// Returns the last event up to which both columns are known to be the same, or 0, and
  /// the first later event at which they are known to differ.
  ///
  /// It uses only marks that all copies of the two versions have, so all copies find the
  /// same events.
  private func marksAround(_ other: Column) -> (same: UInt64, other: UInt64) {
    var next = Swift.min(seen, other.seen)
    guard origin == other.origin else { return (0, next) }
    var bound = next
    while let found = history.lastShared(with: other.history, below: bound) {
      bound = found.counter
      let isKept =
        FingerprintHistory.keeps(bound, before: seen)
        && FingerprintHistory.keeps(bound, before: other.seen)
      guard isKept else { continue }
      if found.mine == found.theirs { return (bound, next) }
      next = bound
    }
    return (0, next)
  }

  /// Returns the fingerprint of the events up to a counter, if it is known.
  private func mark(at counter: UInt64) -> UInt32? {
    counter == seen ? fingerprint : history.fingerprint(at: counter)
  }

  /// Returns the events up to the parting, without marks.
  func beforeParting(_ reissue: Reissue, besides other: Column?) -> Column {
    let end = reissue.parting
    var head = Column(
      replica: replica, seen: end, fingerprint: mark(at: end) ?? other?.mark(at: end) ?? 0,
      origin: Swift.min(origin, end))
    if let number = reissue.stretch, number > 1 {
      if let first = stretches.kept.first(where: { $0.number == number }) {
        head.fingerprint = first.before
      }
      head.stretches.kept = stretches.kept.filter { $0.number < number }
      head.stretches.count = number - 1
    }
    var builder = PageBuilder<Key, Payload>(seen: end)
    forEachRow { counter, row in
      guard counter <= end else { return }
      builder.append(row, at: counter)
      head.rowCount += 1
    }
    head.pageSlots = SharedList(builder.finish())
    head.texts = texts.part(upTo: end)
    head.kills = KillLog(
      floor: Swift.min(kills.floor, end), entries: kills.entries.filter { $0.event <= end })
    return head
  }

  /// Returns the renamed line, with the rows after the parting.
  ///
  /// The rows keep their counters, and the counters up to the parting count as seen. So
  /// all marks remain valid, and two lines with the same name are told apart like any
  /// others. If it isn't known which events the other line also has, events with the same
  /// rows count as common, and their rows are left out.
  func afterParting(_ reissue: Reissue, besides other: Column?) -> Column {
    var tail = Column(
      replica: reissue.name, seen: seen, fingerprint: fingerprint, origin: origin)
    tail.history = history
    tail.stretches = stretches
    var builder = PageBuilder<Key, Payload>(seen: seen)
    forEachRow { counter, row in
      guard counter > reissue.parting else { return }
      // Elements of a list that both lines have are there twice, so each keeps its rows.
      if !row.isOfElement(reissue), other?.holds(row, at: counter) == true { return }
      builder.append(row.reissued(reissue, isOwn: true) ?? row, at: counter)
      tail.rowCount += 1
    }
    tail.pageSlots = SharedList(builder.finish())
    tail.texts = texts.part(after: reissue.parting)
    tail.texts.rename(reissue, as: reissue.name)
    tail.kills = KillLog(
      floor: Swift.max(kills.floor, reissue.parting),
      entries: kills.entries(after: reissue.parting))
    return tail
  }

  /// Returns whether this column has the same row at a counter.
  private func holds(_ row: Row<Key, Payload>, at counter: UInt64) -> Bool {
    guard let found = find(counter) else { return false }
    let mine = pageSlots[found.pageSlot].page.row(at: found.slot)
    return mine.bytes == row.bytes
  }

  /// Replaces the line's name in rows that mention it.
  mutating func renameInRows(_ reissue: Reissue) {
    var builder = PageBuilder<Key, Payload>(seen: seen)
    var hasChanged = false
    forEachRow { counter, row in
      // Before the parting, a key of the line itself names the next event at most, which comes
      // to both lines under the name that it has.
      let changed = row.reissued(reissue, isOwn: false, inKey: replica != reissue.replica)
      hasChanged = hasChanged || changed != nil
      builder.append(changed ?? row, at: counter)
    }
    if hasChanged { pageSlots = SharedList(builder.finish()) }
  }

  /// Gives the rows that another column has under other keys the lesser of the two; returns
  /// whether any has changed.
  ///
  /// That is so where another replica has written what belongs to an element that got two names.
  @discardableResult
  mutating func takeLesserKeys(of other: Column) -> Bool {
    if sharesPages(with: other) { return false }
    var builder = PageBuilder<Key, Payload>(seen: seen)
    var hasChanged = false
    forEachRow { counter, row in
      guard let theirs = other.row(at: counter), theirs.key != row.key,
        theirs.bytes.lexicographicallyPrecedes(row.bytes)
      else { return builder.append(row, at: counter) }
      hasChanged = true
      builder.append(theirs, at: counter)
    }
    if hasChanged { pageSlots = SharedList(builder.finish()) }
    return hasChanged
  }

  /// Calls the body with the replicas of removed rows and those that rows name; it may
  /// pass a replica more than once.
  @inlinable
  func forEachNamedReplica(_ body: (ReplicaID) -> Void) {
    for entry in kills.entries { body(entry.killed.replica) }
    if !texts.isEmpty { texts.forEachNamedReplica(body) }
    guard Rows.nameReplicas else { return }
    for pageSlot in pageSlots {
      pageSlot.page.withRows { rows in
        for place in rows.indices {
          if Key.self is any NamesReplicas.Type, let key = rows[place].key as? any NamesReplicas {
            for replica in key.namedReplicas { body(replica) }
          }
          guard let payload = rows[place].payload as? any NamesReplicas else { continue }
          for replica in payload.namedReplicas { body(replica) }
        }
      }
    }
  }

  /// Replaces the line's name in the log of removals.
  mutating func renameInKills(_ reissue: Reissue) {
    let parting = reissue.parting
    let isNamed = kills.entries.contains {
      $0.killed.replica == reissue.replica && $0.counters.upperBound > parting
    }
    guard isNamed else { return }
    kills.entries = kills.entries.reduce(into: SharedList()) { entries, entry in
      guard entry.killed.replica == reissue.replica, entry.counters.upperBound > parting
      else { return entries.append(entry) }
      // Events up to the parting keep the old name.
      let old = parting < entry.killed.counter ? 0 : parting - entry.killed.counter + 1
      if old > 0 {
        entries.append(KillLog.Entry(event: entry.event, killed: entry.killed, count: old))
      }
      let first = Dot(reissue.name, entry.killed.counter + old)
      entries.append(KillLog.Entry(event: entry.event, killed: first, count: entry.count - old))
    }
  }
}

extension Page {
  /// Whether rows of this type contain names of replicas.
  @inlinable
  static var nameReplicas: Bool {
    Key.self is any NamesReplicas.Type || Payload.self is any NamesReplicas.Type
  }
}

extension Row {
  fileprivate var bytes: [UInt8] {
    var writer = ByteWriter()
    key.encode(to: &writer)
    payload.encode(to: &writer)
    return writer.finish()
  }

  fileprivate func reissued(_ reissue: Reissue, isOwn: Bool, inKey: Bool = true) -> Row? {
    let newKey =
      inKey ? (key as? any NamesReplicas)?.reissued(reissue, isOwn: isOwn) as? Key : nil
    let newPayload = (payload as? any NamesReplicas)?.reissued(reissue, isOwn: isOwn) as? Payload
    guard newKey != nil || newPayload != nil else { return nil }
    return Row(key: newKey ?? key, payload: newPayload ?? payload)
  }

  /// Whether the row belongs to an element of a renamed line.
  fileprivate func isOfElement(_ reissue: Reissue) -> Bool {
    guard let key = key as? any OwnsElements else { return false }
    return key.isOfElementBefore || key.reissued(reissue, isOwn: true) != nil
  }
}

extension Reissue {
  /// Makes the name of a line of a replica's events from data that identifies the line.
  ///
  /// The name of a delegate's line is another delegate of the same authority, because the
  /// authority determines what its rows may decide.
  static func name(for words: [UInt64], of replica: ReplicaID) -> ReplicaID {
    var fingerprint = Fingerprint()
    for word in words { fingerprint.combine(word) }
    guard replica.isDelegate else {
      return ReplicaID(ReplicaID.outsideOfAuthorities(fingerprint.value))
    }
    return replica.delegate(for: ReplicaID(fingerprint.value))
  }
}

extension Stretches {
  /// Returns the first stretch that only one of two lines has, if that is known; `isMine`
  /// is true if it is this line's.
  func parting(
    from other: Stretches, seen: UInt64, _ theirs: UInt64
  ) -> (stretch: Stretch, isMine: Bool)? {
    var (shared, mine, their) = (UInt64(0), 0, 0)
    while mine < kept.count || their < other.kept.count {
      let left = mine < kept.count ? kept[mine] : nil
      let right = their < other.kept.count ? other.kept[their] : nil
      if let left, let right, left.number == right.number {
        guard left != right else {
          shared = left.number
          mine += 1
          their += 1
          continue
        }
        guard left.number == shared + 1 else { return nil }
        if left.first != right.first {
          return left.first < right.first ? (left, true) : (right, false)
        }
        guard left.before == right.before else { return nil }
        return left.nonce > right.nonce ? (left, true) : (right, false)
      }
      if let left, right.map({ left.number < $0.number }) ?? true {
        if left.number > other.count {
          return left.number == shared + 1 && left.first <= theirs ? (left, true) : nil
        }
        mine += 1
      } else if let right {
        if right.number > count {
          return right.number == shared + 1 && right.first <= seen ? (right, false) : nil
        }
        their += 1
      }
    }
    return nil
  }
}
