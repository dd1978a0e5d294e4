/// Messages that a node has to send, in order.
struct MessageBox<Message> {
  /// A message and the node that it goes to.
  struct Item {
    var target: Int
    var message: Message
  }

  private(set) var items: [Item] = []

  /// Adds a message to those to be sent.
  mutating func send(_ message: Message, to target: Int) {
    items.append(Item(target: target, message: message))
  }

  /// Takes out all that is to be sent.
  mutating func removeAll() -> [Item] {
    defer { items.removeAll(keepingCapacity: true) }
    return items
  }
}
