/// The position of an element of a text among the others, as its writer chose it.
///
/// An element is one Unicode scalar, inserted by one event. The elements of a text form a
/// tree: each is a left or a right child of another one, or a right child of the start. A
/// table can have many texts, each with a start of its own.
/// The order of the text is the tree's: left children, the element, right children. Left
/// children stand in the order of their dots. Right children stand in the descending order
/// of their right origins, then in the order of their dots.
///
/// FugueMax: Weidner, Kleppmann, "The Art of the Fugue: Minimizing Interleaving in
/// Collaborative Text Editing", 2023.
@frozen
@usableFromInline
package struct TextAnchor: Hashable, Sendable {
  /// The parent; ``Dot/none``, or ``Dot/start(of:)``, for the start of the text.
  package var parent: Dot
  /// The element that followed the parent when this one was inserted, for a right child;
  /// ``Dot/none`` for the end of the text, and for a left child.
  package var rightOrigin: Dot
  /// Whether the element stands before its parent.
  package var isLeft: Bool
  /// How many elements from this one on, all of one run, stand for dead ones whose text they
  /// put back: the first for the one that followed when it was inserted, the others for those
  /// of the events after that one's.
  package var standInCount: UInt16 = 0

  /// Returns the anchor of a right child.
  package static func right(of parent: Dot, before rightOrigin: Dot) -> TextAnchor {
    TextAnchor(parent: parent, rightOrigin: rightOrigin, isLeft: false)
  }

  /// Returns the anchor of a left child.
  package static func left(of parent: Dot) -> TextAnchor {
    TextAnchor(parent: parent, rightOrigin: .none, isLeft: true)
  }

  /// Returns the anchor of the first of some elements that stand for dead ones.
  func standing(forNext count: Int) -> TextAnchor {
    var anchor = self
    anchor.standInCount = UInt16(count)
    return anchor
  }

  /// The right origin of the elements that follow this one in its run.
  var rightOriginOfNext: Dot { isLeft ? parent : rightOrigin }

  /// Returns the anchor of the element that goes on with this one's run, after the last
  /// element so far.
  func next(after last: Dot) -> TextAnchor {
    .right(of: last, before: rightOriginOfNext)
  }

  /// A number made from the anchor.
  var fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(parent.replica.rawValue)
    fingerprint.combine(parent.counter &<< 1 | (isLeft ? 1 : 0))
    fingerprint.combine(rightOrigin.replica.rawValue)
    fingerprint.combine(rightOrigin.counter)
    if standInCount > 0 { fingerprint.combine(UInt64(standInCount)) }
    return fingerprint.value
  }
}

extension Dot {
  /// No event: the start of a table's only text as a parent, a text's end as a right origin.
  package static var none: Dot { Dot(ReplicaID(0), 0) }

  /// The start of one of several texts of a table, as a parent: no event, but 127 bits of
  /// the digest of the text's name.
  static func start(of name: UnsafeRawBufferPointer) -> Dot {
    let digest = SHA256.digest(of: name)
    return Dot(ReplicaID(digest.first), digest.second | startBit)
  }

  /// The counter's bit that no event has.
  static var startBit: UInt64 { 1 << 63 }

  package var isNone: Bool { counter == 0 }

  /// Whether it is the start of a text, and no event.
  var isStart: Bool { counter == 0 || counter & Dot.startBit != 0 }
}

/// The first of some consecutive elements of a page, each of which is the right child of
/// the one before, with its anchor.
struct TextRun: Equatable {
  let parent: Dot
  let rightOrigin: Dot
  let slot: UInt16
  /// The number of bytes of text before it in its page.
  var offset: UInt16
  let isLeft: Bool
  let standInCount: UInt16

  init(_ anchor: TextAnchor, slot: Int, offset: Int) {
    parent = anchor.parent
    rightOrigin = anchor.rightOrigin
    isLeft = anchor.isLeft
    standInCount = anchor.standInCount
    self.slot = UInt16(slot)
    self.offset = UInt16(offset)
  }

  var anchor: TextAnchor {
    TextAnchor(
      parent: parent, rightOrigin: rightOrigin, isLeft: isLeft, standInCount: standInCount)
  }
}
