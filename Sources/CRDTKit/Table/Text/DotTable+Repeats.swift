extension DotTable {
  /// Returns the elements of a text that some replicas have inserted although another of them
  /// has, too: at the same place, with the same text, without knowing of each other.
  ///
  /// Of two insertions on the same side of one element, neither writer had seen the other's, or
  /// would have inserted beside that. If the text of one is the beginning of the other's, both
  /// have inserted this much. It is the one with the greater dot that repeats it, and what
  /// follows there is compared with what follows in the other. Otherwise, what each writer has
  /// inserted there since is compared as a whole, since one may have inserted in parts what the
  /// other has at once: if the one text is the beginning or the end of the other, the shorter one
  /// repeats it. An insertion with a dead element is no other's, and of more than 64 insertions
  /// at one place only the first are compared.
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
    var budget = Self.wholeElementsMax
    while let dots = insertions.nextGroup() {
      var known: [(dot: Dot, text: [Unicode.Scalar])] = []
      for dot in dots.prefix(Self.comparedCount) {
        let text = insertedText(from: dot)
        if text.isEmpty { continue }
        let earlier = known.first { earlier in
          earlier.dot.replica != dot.replica && !insertions.repeated.contains(earlier.dot)
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
        } else if !noteWhole(
          dot, of: known.map(\.dot), in: &insertions, budget: &budget)
        {
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
  /// How many elements are looked at to compare what writers have inserted as a whole.
  private static var wholeElementsMax: Int { 1 << 16 }

  /// Compares all that one writer has inserted at a place with what others have, and notes what
  /// is repeated; returns whether that is the writer's.
  private func noteWhole(
    _ dot: Dot, of known: [Dot], in insertions: inout Insertions, budget: inout Int
  ) -> Bool {
    for other in known where other.replica != dot.replica && !insertions.repeated.contains(other) {
      guard let whole = wholeText(from: dot, insertions, &budget),
        let otherWhole = wholeText(from: other, insertions, &budget)
      else { continue }
      let isShorter = whole.count < otherWhole.count
      // Of two that are the same, the one with the greater dot repeats the other.
      let isRepeated = isShorter || whole.count == otherWhole.count
      let (part, all) = isRepeated ? (whole, otherWhole) : (otherWhole, whole)
      let isBeginning = all.lazy.map(\.scalar).starts(with: part.lazy.map(\.scalar))
      let rest = isBeginning ? all.prefix(part.count) : all.suffix(part.count)
      guard zip(part, rest).allSatisfy({ $0.scalar == $1.scalar }) else { continue }
      for (element, earlier) in zip(part, rest) {
        insertions.note(1, from: element.dot, asRepeatedFrom: earlier.dot)
      }
      if isRepeated { return true }
    }
    return false
  }

  /// An insertion with all that its writer has inserted beside its elements, in the order of the
  /// text; `nil` if an element of it is dead, or if there are too many.
  private func wholeText(
    from dot: Dot, _ insertions: Insertions, _ budget: inout Int
  ) -> [(dot: Dot, scalar: Unicode.Scalar)]? {
    var whole: [(dot: Dot, scalar: Unicode.Scalar)] = []
    // Elements, and the first elements of insertions, which have no scalar here.
    var open: [(dot: Dot, scalar: Unicode.Scalar?)] = [(dot, nil)]
    while let next = open.popLast() {
      if let scalar = next.scalar {
        whole.append((next.dot, scalar))
        continue
      }
      let text = insertedText(from: next.dot)
      budget -= text.count
      guard !text.isEmpty, budget >= 0 else { return nil }
      var parts: [(dot: Dot, scalar: Unicode.Scalar?)] = []
      for (offset, scalar) in text.enumerated() {
        let dot = next.dot.advanced(by: offset)
        parts += insertions.beside(dot, isLeft: true).map { ($0, nil) }
        parts.append((dot, scalar))
      }
      let last = next.dot.advanced(by: text.count - 1)
      parts += insertions.beside(last, isLeft: false).map { ($0, nil) }
      open += parts.reversed()
    }
    return whole
  }

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

  /// What the writer of an element has inserted on one side of it.
  func beside(_ dot: Dot, isLeft: Bool) -> [Dot] {
    dots[Place(parent: dot, isLeft: isLeft), default: []].filter {
      $0.replica == dot.replica && !repeated.contains($0)
    }
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
