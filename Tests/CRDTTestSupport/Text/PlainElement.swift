import CRDTKit
package import Toolkit

/// An element of a text as the article on the format describes it, with nothing that makes
/// it fast: what its column is encoded from and decoded to, as a second opinion.
package struct PlainElement: Hashable, Sendable {
  /// Where an element is attached.
  package enum Parent: Hashable, Sendable {
    /// The start of the table's only text.
    case start
    /// The start of one of several texts, by its 16 bytes.
    case named([UInt8])
    case element(ElementID)
  }

  package var id: ElementID
  package var parent: Parent
  package var isLeft: Bool
  /// The right origin of a right child; `nil` for the end of the text.
  package var rightOrigin: ElementID?
  /// How many elements from this one on stand for dead ones, if it is the first of them.
  package var standInCount: Int
  /// The scalar; `nil` if the element is dead.
  package var scalar: Unicode.Scalar?

  package init(
    _ id: ElementID, _ parent: Parent, isLeft: Bool = false, before rightOrigin: ElementID? = nil,
    standInCount: Int = 0, _ scalar: Unicode.Scalar?
  ) {
    self.id = id
    self.parent = parent
    self.isLeft = isLeft
    self.rightOrigin = rightOrigin
    self.standInCount = standInCount
    self.scalar = scalar
  }

  /// The right origin of the elements that follow in the run that this one begins.
  var rightOriginOfRun: ElementID? {
    if isLeft, case .element(let parent) = parent { return parent }
    return rightOrigin
  }

  /// Returns whether the element goes on with the run of the one before.
  func follows(_ previous: PlainElement, inRunWith rightOriginOfRun: ElementID?) -> Bool {
    id == previous.id.next && parent == .element(previous.id) && !isLeft
      && rightOrigin == rightOriginOfRun && standInCount == 0
  }

  /// The block of 1,024 counters of a counter.
  static func block(of counter: UInt64) -> UInt64 { (counter - 1) / 1_024 }
}

extension PlainElement: CustomStringConvertible {
  package var description: String {
    let place =
      switch parent {
      case .start: "the start"
      case .named(let bytes): "the start \(bytes[0])…"
      case .element(let id): "\(id.replica):\(id.counter)"
      }
    let side = isLeft ? "left of" : "right of"
    let end = rightOrigin.map { " before \($0.replica):\($0.counter)" } ?? ""
    let others = standInCount > 0 ? " standing for \(standInCount)" : ""
    let text = scalar.map { " \"\($0)\"" } ?? " dead"
    return "\(id.replica):\(id.counter) \(side) \(place)\(end)\(others)\(text)"
  }
}

extension ElementID {
  /// The element of the next event.
  var next: ElementID { ElementID(replica: replica, counter: counter + 1) }
}

/// Where the columns of a text's state begin, or of a delta after some of the first replica's
/// events.
///
/// They follow the header, the code of the type, and the heads, whose size depends on the
/// numbers of events.
package func elementsOffset(_ counters: [UInt64], afterFirst base: UInt64? = nil) -> Int {
  var writer = ByteWriter()
  writer.write(varint: UInt64(counters.count))
  for (place, counter) in counters.enumerated() {
    if let base {
      writer.write(head: ReplicaID(1), base: place == 0 ? base : 0, seen: counter)
    } else {
      writer.write(head: ReplicaID(1), seen: counter)
    }
  }
  return (base == nil ? 4 : 5) + writer.finish().count
}
