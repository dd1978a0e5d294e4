extension ReplicatedText {
  /// A position that stays beside the same character whatever is written elsewhere: for a
  /// caret, a selection or a comment.
  ///
  /// If the character is deleted, the anchor is where it stood, on neither side of what is
  /// inserted there from then on; if an ``UndoStack`` puts the character back, it is beside
  /// that again. You can store an anchor and send it to other replicas.
  public struct Anchor: Hashable, Codable, Sendable {
    /// The character; `nil` for the start or the end of the text.
    package var element: Dot?
    package var side: Side

    package init(element: Dot?, side: Side) {
      self.element = element
      self.side = side
    }
  }

  /// The side of its character that an anchor keeps to.
  public enum Side: String, Hashable, Codable, Sendable {
    /// The anchor stands before its character: what is inserted there comes before it.
    case before
    /// The anchor stands after its character: what is inserted there comes after it.
    case after
  }

  /// Some consecutive characters written by one replica.
  public struct AuthoredRange: Hashable, Sendable {
    /// The positions of the characters.
    public let range: Range<Index>
    /// The replica that wrote them.
    public let replica: ReplicaID
  }
}

extension ReplicatedTextProtocol {
  /// A position that stays beside the same character whatever is written elsewhere.
  public typealias Anchor = ReplicatedText.Anchor

  /// Returns an anchor at a position.
  ///
  /// - Parameters:
  ///   - index: A position of this text in its present state.
  ///   - side: With `.after`, the anchor keeps to the character before the position, so that
  ///     text inserted there comes after the anchor; with `.before`, to the character that
  ///     follows. At an end of the text without such a character, it keeps to that end. For
  ///     a caret take `.after`; for a selection, `.before` at its start and `.after` at its
  ///     end.
  /// - Returns: The anchor, which stays valid when the text changes.
  /// - Complexity: O(log n) for n runs of characters.
  @_specialize(where Self == ReplicatedText)
  public func anchor(at index: Index, _ side: ReplicatedText.Side) -> Anchor {
    let offset = checked(index)
    return _table.withOrder { order in
      let place = side == .before ? offset : offset - 1
      let (lower, upper) = order.range(ofTextAt: _start)
      let found =
        (0..<(upper - lower).utf8).contains(place)
        ? order.location(of: place + lower.utf8, in: .utf8, _table.texts) : nil
      return Anchor(element: found.map { order.dot($0.element) }, side: side)
    }
  }

  /// Returns the present position of an anchor; `nil` if its character has not been seen
  /// here, or if a fork was mended and its character has another name now.
  ///
  /// If several replicas have put a deleted character back at the same time, an anchor before
  /// it is before the first of them, and one after it is after the last.
  ///
  /// - Complexity: O(log n) for n runs of characters.
  @_specialize(where Self == ReplicatedText)
  public func index(of anchor: Anchor) -> Index? {
    guard let element = anchor.element else {
      return anchor.side == .after ? startIndex : endIndex
    }
    let offset: Int? = _table.withOrder { order in
      let present = _table.representative(
        of: element, isLast: anchor.side == .after, inTextAt: _start, &order)
      let element = order.has(present, inTextAt: _start) ? present : element
      guard order.has(element, inTextAt: _start),
        let before = order.size(before: element, in: _table)
      else { return nil }
      let offset = before.utf8 - order.range(ofTextAt: _start).lower.utf8
      guard anchor.side == .after,
        let (page, slot) = _table.textElement(at: element), !page.dead[slot]
      else { return offset }
      return offset + page.withText(of: slot..<slot + 1) { $0.count }
    }
    return offset.map { Index(offset: $0, events: _table.eventCount) }
  }
}

extension ReplicatedTextProtocol {
  /// Returns who wrote the characters between two positions, in order.
  ///
  /// - Precondition: The indices are of this text in its present state.
  /// - Complexity: O(m + log n) for n runs of characters, m of them in the range.
  @_specialize(where Self == ReplicatedText)
  public func authors(in range: Range<Index>) -> [ReplicatedText.AuthoredRange] {
    let offsets = checked(range)
    var authors: [ReplicatedText.AuthoredRange] = []
    var start = offsets.lowerBound
    _table.withOrder { order in
      let lower = order.range(ofTextAt: _start).lower.utf8
      let place = lower + offsets.lowerBound..<lower + offsets.upperBound
      let replicas = order.replicas
      order.forEachPiece(in: place, of: _table.texts) { first, count in
        let dot = Dot(replicas[Int(first.replica)], first.counter)
        guard let (page, slot) = _table.textElement(at: dot) else { return }
        let end = start + page.withText(of: slot..<slot + count) { $0.count }
        var begin = start
        if let last = authors.last, last.replica == dot.replica {
          begin = last.range.lowerBound.offset
          authors.removeLast()
        }
        let events = _table.eventCount
        authors.append(
          ReplicatedText.AuthoredRange(
            range: Index(offset: begin, events: events)..<Index(offset: end, events: events),
            replica: dot.replica))
        start = end
      }
    }
    return authors
  }
}
