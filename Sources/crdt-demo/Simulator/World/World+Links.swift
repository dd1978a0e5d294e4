import CRDTStoreTesting

extension World {
  /// Sends a node's messages.
  mutating func post(from place: Int) {
    let first = Int(nodeStates[place].firstDirection)
    // Moved out temporarily, to avoid a copy.
    var letters: [Context.Letter] = []
    swap(&letters, &context.letters)
    for letter in letters { post(letter, by: first &+ letter.neighbour, from: place) }
    letters.removeAll(keepingCapacity: true)
    if context.letters.isEmpty { swap(&letters, &context.letters) }
  }

  @inline(__always)
  private mutating func post(_ letter: Context.Letter, by direction: Int, from place: Int) {
    let link = Int(directions[direction].link)
    let bytes = letter.message.byteCount
    counts.sent &+= 1
    counts.bytes &+= bytes
    guard links[link].blocks == 0 else {
      counts.dropped &+= 1
      return
    }
    let number = sink == nil ? 0 : traceSend(letter, bytes: bytes, from: place, by: direction)
    guard isFaultless else {
      return postWithFaults(letter, bytes, by: direction, from: place, number: number)
    }
    let time = arrival(of: bytes, by: direction)
    directions[direction].arrivesAt = time
    enqueue(letter, bytes, by: direction, at: time, number: number)
  }

  /// When the bytes arrive, without faults.
  @inline(__always)
  private mutating func arrival(
    of bytes: Int, by direction: Int, plus jitter: UInt64 = 0
  ) -> UInt64 {
    var time = now
    if conditions.bandwidth > 0 {
      let took = UInt64(bytes) &* 1_000_000 / UInt64(conditions.bandwidth)
      directions[direction].freeAt = max(directions[direction].freeAt, now) &+ took
      time = directions[direction].freeAt
    }
    return max(time &+ UInt64(conditions.delay) &+ jitter, directions[direction].arrivesAt)
  }

  private mutating func enqueue(
    _ letter: Context.Letter, _ bytes: Int, by direction: Int, at time: UInt64, number: Int
  ) {
    let index = pool.add(letter.message)
    queue.add(
      .arrival, at: time, place: direction, index: index,
      connection: links[Int(directions[direction].link)].connection)
    if sink != nil {
      traceNumbers[index] = TracedMessage(number: number, bytes: bytes, events: letter.events)
    }
  }

  /// Draws the faults of a message, with the same number of draws for each.
  private mutating func postWithFaults(
    _ letter: Context.Letter, _ bytes: Int, by direction: Int, from place: Int, number: Int
  ) {
    let faults = conditions.faults
    let isLost = directions[direction].generator.happens(faults.loss)
    let isDuplicated = directions[direction].generator.happens(faults.duplicate)
    let isLate = directions[direction].generator.happens(faults.reorder)
    let isCorrupted = directions[direction].generator.happens(faults.corrupt)
    let isCut = directions[direction].generator.happens(faults.cut)
    let bit = directions[direction].generator.next()
    let late = directions[direction].generator.next()
    let target = Int(directions[direction].target)
    if isCut || isLost {
      if sink != nil { trace(.lose, place, peer: target, message: number, bytes: bytes) }
      guard isCut else {
        counts.lost &+= 1
        return
      }
      counts.dropped &+= 1
      return cut(Int(directions[direction].link))
    }
    var letter = letter
    if isCorrupted {
      counts.corrupted &+= 1
      let survives = letter.message.corrupt(bit)
      if sink != nil {
        trace(.corrupt, place, peer: target, message: number, bytes: bytes)
        if !survives { trace(.lose, place, peer: target, message: number, bytes: bytes) }
      }
      guard survives else { return }
    }
    let jitter = (late >> 33) % UInt64(conditions.jitter &+ 1)
    let time = arrival(of: bytes, by: direction, plus: jitter)
    let lateMax = UInt64(max(conditions.lateMax, 1))
    if isLate {
      counts.reordered &+= 1
      enqueue(letter, bytes, by: direction, at: time &+ 1 &+ late % lateMax, number: number)
    } else {
      directions[direction].arrivesAt = time
      enqueue(letter, bytes, by: direction, at: time, number: number)
    }
    guard isDuplicated else { return }
    counts.duplicated &+= 1
    if sink != nil { trace(.duplicate, place, peer: target, message: number, bytes: bytes) }
    enqueue(letter, bytes, by: direction, at: time &+ bit % lateMax, number: number)
  }

  /// Breaks the connection of a link, which reconnects later.
  mutating func cut(_ link: Int) {
    guard links[link].blocks == 0 else { return }
    counts.cuts &+= 1
    let pause = 1 + UInt64(generator.below(max(conditions.reconnectMax, 1)))
    cut(link, for: pause)
  }

  mutating func cut(_ link: Int, for pause: UInt64) {
    if sink != nil { traceLink(.cut, link) }
    block(link)
    queue.add(.reconnection, at: now + pause, place: 0, index: link)
  }

  /// The nodes at the ends of a link.
  func ends(of link: Int) -> (Int, Int) {
    let (forth, back) = links[link].directions
    return (Int(directions[Int(back)].target), Int(directions[Int(forth)].target))
  }

  /// The link between two nodes.
  func link(between one: Int, and other: Int) -> Int? {
    let first = Int(nodeStates[one].firstDirection)
    for direction in directions[first..<first + Int(nodeStates[one].neighbourCount)]
    where Int(direction.target) == other {
      return Int(direction.link)
    }
    return nil
  }

  /// Adds a reason for a link to have no connection.
  mutating func block(_ link: Int) {
    links[link].blocks += 1
    guard links[link].blocks == 1 else { return }
    links[link].connection &+= 1
    let (forth, back) = links[link].directions
    for (here, there) in [(back, forth), (forth, back)] {
      // A direction's neighbour is the index of its sender in the target's list.
      let place = Int(directions[Int(here)].target)
      guard nodeStates[place].isUp else { continue }
      nodes[place].disconnect(from: Int(there) - Int(nodeStates[place].firstDirection))
    }
  }

  /// Removes a reason; the link reconnects when none is left.
  mutating func unblock(_ link: Int) {
    links[link].blocks -= 1
    guard links[link].blocks == 0, !waitsForPause(link) else { return }
    if sink != nil { traceLink(.connect, link) }
    connect(link)
  }

  /// Notifies both ends of a connection.
  mutating func connect(_ link: Int) {
    links[link].connection &+= 1
    counts.connections &+= 1
    let (forth, back) = links[link].directions
    let connection = links[link].connection
    for direction in [Int(forth), Int(back)] { directions[direction].arrivesAt = now }
    for (here, there) in [(back, forth), (forth, back)] {
      let place = Int(directions[Int(here)].target)
      guard links[link].connection == connection, links[link].blocks == 0 else { return }
      guard nodeStates[place].isUp else { continue }
      prepareContext(place)
      nodes[place].connect(
        to: Int(there) - Int(nodeStates[place].firstDirection), &context)
      _ = finishCall(place)
    }
  }

  /// Notifies all nodes of their initial connections.
  mutating func connectAll() {
    for link in links.indices where links[link].blocks == 0 { connect(link) }
  }
}

/// The probabilities, from 0 to 1, of faults of a chunk of a stream.
struct LinkFaults: Equatable {
  var loss: Double
  var duplicate: Double
  var reorder: Double
  /// The probability that a bit flips.
  var corrupt: Double
  /// The probability that the link breaks.
  var cut: Double

  static let none = LinkFaults(loss: 0, duplicate: 0, reorder: 0, corrupt: 0, cut: 0)

  /// Probabilities with which a short run meets all faults.
  static let standard = LinkFaults(
    loss: 0.02, duplicate: 0.02, reorder: 0.02, corrupt: 0.02, cut: 0.01)
}

extension LinkFaults: CustomStringConvertible {
  /// The chances in per cent.
  var description: String {
    "\(Self.percent(loss)) lost, \(Self.percent(duplicate)) duplicated, "
      + "\(Self.percent(reorder)) overtaken, \(Self.percent(corrupt)) corrupted, "
      + "\(Self.percent(cut)) cut, until they heal"
  }

  static func percent(_ chance: Double) -> String {
    let percent = (chance * 10_000).rounded() / 100
    return percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %"
  }
}

/// The latency, bandwidth and faults of the links of a ``World``.
struct LinkConditions: Equatable, Sendable {
  /// The minimum latency of a message in microseconds.
  var delay = 1_000
  /// The maximum additional latency in microseconds, drawn for each message.
  ///
  /// Without reordering, no message overtakes another.
  var jitter = 0
  /// The bandwidth in bytes a second; 0 for unlimited.
  var bandwidth = 0
  /// The probabilities of faults of a message.
  var faults = LinkFaults.none
  /// The maximum delay of a reordered message in microseconds.
  var lateMax = 5_000
  /// The maximum time to reconnect after a cut, in microseconds.
  var reconnectMax = 20_000

  /// The maximum latency of a short message in microseconds, without faults.
  var latency: UInt64 {
    let sending = bandwidth > 0 ? 1_000_000_000 / UInt64(bandwidth) : 0
    return UInt64(delay) + UInt64(jitter) + sending
  }
}
