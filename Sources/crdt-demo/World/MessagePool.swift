/// Messages under way, so that what the queue moves about stays small.
struct MessagePool<Message> {
  private var messages: ContiguousArray<Message?> = []
  private var free: ContiguousArray<Int32> = []

  /// Keeps a message; gives its place.
  mutating func add(_ message: Message) -> Int {
    if let place = free.popLast() {
      messages[Int(place)] = message
      return Int(place)
    }
    messages.append(message)
    return messages.count &- 1
  }

  /// Takes a message out.
  mutating func take(_ place: Int) -> Message? {
    free.append(Int32(truncatingIfNeeded: place))
    return messages[place].take()
  }
}
