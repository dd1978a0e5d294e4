package import CRDTKit

/// Two peers in memory, and the bytes between them.
package struct Wire<Value: TableBacked> {
  package var left: Peer<Value>
  package var right: Peer<Value>

  package init(_ left: Peer<Value>, _ right: Peer<Value>) {
    self.left = left
    self.right = right
  }
}

extension Wire {
  package mutating func connect() {
    left.connect()
    right.connect()
  }

  /// Loses what is under way and breaks the stream.
  package mutating func cut() {
    left.disconnect()
    right.disconnect()
  }

  package var isQuiet: Bool { left.outbox.isEmpty && right.outbox.isEmpty }

  package var isConverged: Bool {
    left.isSynchronized && right.isSynchronized && left.value == right.value
      && left.value.encoded() == right.value.encoded()
      && left.value.encoded() == left.durable.encoded()
      && right.value.encoded() == right.durable.encoded()
  }

  /// Delivers up to a number of bytes of what the left has sent.
  package mutating func deliverRight(_ count: Int = .max) {
    let bytes = Array(left.outbox.prefix(count))
    left.outbox.removeFirst(bytes.count)
    right.receive(bytes)
  }

  /// Delivers up to a number of bytes of what the right has sent.
  package mutating func deliverLeft(_ count: Int = .max) {
    let bytes = Array(right.outbox.prefix(count))
    right.outbox.removeFirst(bytes.count)
    left.receive(bytes)
  }

  /// Delivers in turn, up to `chunk` bytes at a time, until nothing is under way or
  /// `budget` bytes have been delivered; gives how many were.
  ///
  /// A side that has failed closes the stream, once its last words have come.
  @discardableResult
  package mutating func run(chunk: Int = .max, budget: Int = .max) -> Int {
    var delivered = 0
    var rounds = 0
    while !isQuiet, delivered < budget, rounds < 1_000_000 {
      rounds += 1
      let right = min(chunk, budget - delivered, left.outbox.count)
      deliverRight(right)
      delivered += right
      let left = min(chunk, budget - delivered, self.right.outbox.count)
      deliverLeft(left)
      delivered += left
    }
    return delivered
  }

  /// Connects, and exchanges all there is.
  package mutating func sync(chunk: Int = .max) {
    connect()
    run(chunk: chunk)
  }

  /// What is wrong, if the two have not come to hold the same, and nothing but
  /// what is expected.
  package func discrepancy(from expected: Value? = nil) -> String? {
    for (name, side) in [("left", left), ("right", right)] {
      if let failure = side.failure { return "\(name) has failed: \(failure)" }
      if !side.isSynchronized {
        return "\(name) is not in sync: \(side.value.version), \(side.session.peerVersion)"
      }
      if let expected, side.value.encoded() != expected.encoded() {
        return "\(name) holds \(side.value.version), not \(expected.version)"
      }
      if side.durable.encoded() != side.value.encoded() { return "\(name) did not store all" }
    }
    return isConverged ? nil : "the two hold different things"
  }
}
