/// What is to happen, in the order of virtual time; of what is due at the same
/// moment, in the order in which it was added.
///
/// A binary heap of small structs.
struct EventQueue: Sendable {
  /// The kind of an event.
  enum Kind: UInt8, Sendable {
    /// A message arrives: `index` is its place in the pool.
    case arrival
    case tick
    /// `index` is the place among the edits' numbers.
    case edit
    /// A link that was cut may have a connection again: `index` is the link.
    case reconnection
    /// `index` is the place in the script.
    case action
  }

  /// A scheduled event.
  struct Event: Sendable {
    var time: UInt64
    var sequence: UInt64
    var kind: Kind
    /// The node, or for an arrival the place of the direction it came by.
    var place: Int32
    var index: Int32
    /// The connection by which a message goes.
    var connection: UInt32 = 0
  }

  private var events: ContiguousArray<Event> = []
  private var sequence: UInt64 = 0

  /// When something happens next.
  var nextTime: UInt64? { events.first?.time }

  /// Adds what is to happen.
  ///
  /// - Complexity: O(log of how much is to happen).
  mutating func add(
    _ kind: Kind, at time: UInt64, place: Int, index: Int = 0, connection: UInt32 = 0
  ) {
    sequence &+= 1
    let event = Event(
      time: time, sequence: sequence, kind: kind, place: Int32(truncatingIfNeeded: place),
      index: Int32(truncatingIfNeeded: index), connection: connection)
    var hole = events.count
    events.append(event)
    while hole > 0 {
      let parent = (hole &- 1) / 2
      guard Self.isSooner(event, events[parent]) else { break }
      events[hole] = events[parent]
      hole = parent
    }
    events[hole] = event
  }

  /// Takes out what happens next.
  ///
  /// - Complexity: O(log of how much is to happen).
  mutating func next() -> Event? {
    guard let first = events.first, let last = events.popLast() else { return nil }
    let count = events.count
    guard count > 0 else { return first }
    var hole = 0
    while true {
      var child = 2 &* hole &+ 1
      guard child < count else { break }
      if child &+ 1 < count, Self.isSooner(events[child &+ 1], events[child]) { child &+= 1 }
      guard Self.isSooner(events[child], last) else { break }
      events[hole] = events[child]
      hole = child
    }
    events[hole] = last
    return first
  }

  private static func isSooner(_ one: Event, _ other: Event) -> Bool {
    one.time != other.time ? one.time < other.time : one.sequence < other.sequence
  }
}

/// Messages under way, so that what the queue moves about stays small.
struct MessagePool<Message> {
  private var messages: ContiguousArray<Message?> = []
  private var free: ContiguousArray<Int32> = []

  /// Stores a message.
  ///
  /// Returns its index.
  mutating func add(_ message: Message) -> Int {
    if let place = free.popLast() {
      messages[Int(place)] = message
      return Int(place)
    }
    messages.append(message)
    return messages.count &- 1
  }

  /// Removes a message.
  mutating func take(_ place: Int) -> Message? {
    free.append(Int32(truncatingIfNeeded: place))
    return messages[place].take()
  }
}
