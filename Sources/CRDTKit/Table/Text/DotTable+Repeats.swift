extension DotTable {
  /// Returns the elements of a text that some replicas have inserted although another of them
  /// has, too: at the same place, with the same text, without knowing of each other.
  ///
  /// Of two insertions on the same side of one element, neither writer had seen the other's, or
  /// would have inserted beside that. If the text of one is the beginning of the other's, both
  /// have inserted this much. It is the one with the greater dot that repeats it, and what
  /// follows there is compared with what follows in the other. An insertion with a dead element
  /// is no other's, and of more than 64 insertions at one place only the first are compared.
  ///
  /// - Complexity: Expected O(length of the text).
  func repeatedElements(
    ofTextAt start: Dot, insertedBy isAsked: (ReplicaID) -> Bool
  ) -> ContiguousArray<Dot> {
    let writerCount = columns.indices.count {
      !columns[$0].texts.isEmpty && isAsked(columns[$0].replica)
    }
    guard writerCount > 1 else { return [] }
    var insertions = Insertions(insertions(ofTextAt: start, by: isAsked))
    while let dots = insertions.nextGroup() {
      var known: [(dot: Dot, text: [Unicode.Scalar])] = []
      for dot in dots.prefix(Self.comparedCount) {
        let text = insertedText(from: dot)
        if text.isEmpty { continue }
        let earlier = known.first { earlier in
          earlier.dot.replica != dot.replica
            && (earlier.text.starts(with: text) || text.starts(with: earlier.text))
        }
        if let earlier {
          let count = min(text.count, earlier.text.count)
          insertions.note(count, from: dot, asRepeatedFrom: earlier.dot)
          if text.count > count {
            insertions.add(dot.advanced(by: count), after: earlier.dot, count)
          }
          if earlier.text.count > count {
            insertions.add(earlier.dot.advanced(by: count), after: earlier.dot, count)
          }
        } else {
          known.append((dot, text))
        }
      }
    }
    return ContiguousArray(insertions.repeated.sorted())
  }

  /// The first elements of the insertions that a text consists of, by their places.
  private func insertions(
    ofTextAt start: Dot, by isAsked: (ReplicaID) -> Bool
  ) -> [Insertions.Place: [Dot]] {
    var insertions: [Insertions.Place: [Dot]] = [:]
    let range = textRange(at: start)
    withOrder { order in
      let replicas = order.replicas
      order.forEachPiece(in: range, of: texts) { first, count in
        let replica = replicas[Int(first.replica)]
        guard isAsked(replica) else { return }
        for offset in 0..<count {
          let dot = Dot(replica, first.counter).advanced(by: offset)
          guard let (page, slot) = textElement(at: dot), page.isRunStart(slot) else { continue }
          let anchor = page.anchor(of: slot)
          insertions[.init(parent: anchor.parent, isLeft: anchor.isLeft), default: []].append(dot)
        }
      }
    }
    return insertions
  }

  private static var comparedCount: Int { 64 }

  /// The text of an insertion from some element on; empty if an element of it is dead.
  private func insertedText(from dot: Dot) -> [Unicode.Scalar] {
    var (dot, scalars): (Dot, [Unicode.Scalar]) = (dot, [])
    var anchor: TextAnchor?
    while let (page, slot) = textElement(at: dot) {
      if let anchor, page.anchor(of: slot) != anchor { break }
      if page.dead[slot] { return [] }
      let text = page.withText(of: slot..<slot + 1) { String(decoding: $0, as: UTF8.self) }
      scalars += text.unicodeScalars
      anchor = page.anchor(of: slot).next(after: dot)
      dot = dot.advanced(by: 1)
    }
    return scalars
  }
}

/// Insertions of a text by their places, where an element that repeats another counts as that one.
private struct Insertions {
  struct Place: Hashable {
    var parent: Dot
    var isLeft: Bool
  }

  private var dots: [Place: [Dot]]
  private var shared: [Place]
  private var isQueued: Set<Place>
  private(set) var repeated: Set<Dot> = []

  init(_ dots: [Place: [Dot]]) {
    self.dots = dots
    shared = dots.filter { $0.value.count > 1 }.map(\.key)
    isQueued = Set(shared)
  }

  /// Returns the insertions at a place with several that have to be compared, by their dots.
  mutating func nextGroup() -> [Dot]? {
    guard let place = shared.popLast() else { return nil }
    isQueued.remove(place)
    return dots[place, default: []].filter { !repeated.contains($0) }.sorted()
  }

  mutating func note(_ count: Int, from dot: Dot, asRepeatedFrom earlier: Dot) {
    for offset in 0..<count {
      let parent = dot.advanced(by: offset)
      repeated.insert(parent)
      for isLeft in [true, false] {
        guard let children = dots.removeValue(forKey: Place(parent: parent, isLeft: isLeft))
        else { continue }
        add(children, at: Place(parent: earlier.advanced(by: offset), isLeft: isLeft))
      }
    }
  }

  /// Adds what follows in an insertion after some elements that are those of another one.
  mutating func add(_ dot: Dot, after earlier: Dot, _ count: Int) {
    let place = Place(parent: earlier.advanced(by: count - 1), isLeft: false)
    if dots[place]?.contains(dot) != true { add([dot], at: place) }
  }

  private mutating func add(_ added: [Dot], at place: Place) {
    dots[place, default: []] += added
    if dots[place, default: []].count > 1, isQueued.insert(place).inserted { shared.append(place) }
  }
}

extension Dot {
  fileprivate func advanced(by count: Int) -> Dot { Dot(replica, counter + UInt64(count)) }
}
