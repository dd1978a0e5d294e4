/// What an edit inserted into a text and removed from it, to take it back.
struct TextStep: Hashable, Sendable {
  /// The elements of consecutive events of a replica.
  struct Elements: Hashable, Sendable {
    var first: Dot
    var count: Int

    var last: Dot { Dot(first.replica, first.counter &+ UInt64(count) &- 1) }

    /// Whether other elements are of the events right after these.
    func isContinued(by other: Elements) -> Bool {
      first.replica == other.first.replica && first.counter &+ UInt64(count) == other.first.counter
    }

    func contains(_ dot: Dot) -> Bool {
      first.replica == dot.replica && dot.counter &- first.counter < UInt64(count)
    }

    func overlaps(_ other: Elements) -> Bool { contains(other.first) || other.contains(first) }

    /// The elements' dots, in order.
    var dots: some Sequence<Dot> {
      let first = first
      return (0..<UInt64(count)).lazy.map { Dot(first.replica, first.counter &+ $0) }
    }
  }

  /// Elements that were removed, and the text they had.
  struct Removal: Hashable, Sendable {
    var elements: Elements
    var text: String
  }

  private(set) var inserted: ContiguousArray<Elements> = []
  private(set) var removed: ContiguousArray<Removal> = []

  var isEmpty: Bool { inserted.isEmpty && removed.isEmpty }
}

extension TextStep {
  mutating func add(_ elements: Elements) {
    if let last = inserted.last, last.isContinued(by: elements) {
      inserted[inserted.count - 1].count += elements.count
    } else {
      inserted.append(elements)
    }
  }

  mutating func add(_ removal: Removal) {
    guard let last = removed.last else { return removed.append(removal) }
    let place = removed.count - 1
    if last.elements.isContinued(by: removal.elements) {
      removed[place].elements.count += removal.elements.count
      removed[place].text += removal.text
    } else if removal.elements.isContinued(by: last.elements) {
      removed[place].elements.first = removal.elements.first
      removed[place].elements.count += removal.elements.count
      removed[place].text = removal.text + last.text
    } else {
      removed.append(removal)
    }
  }

  /// Adds what was done after this, to be taken back together with it.
  ///
  /// What this has inserted and that has removed is as if it had never been.
  mutating func join(_ next: TextStep) {
    for removal in next.removed {
      guard inserted.contains(where: { $0.overlaps(removal.elements) }) else {
        add(removal)
        continue
      }
      for (dot, scalar) in zip(removal.elements.dots, removal.text.unicodeScalars)
      where !inserted.contains(where: { $0.contains(dot) }) {
        add(Removal(elements: Elements(first: dot, count: 1), text: String(scalar)))
      }
    }
    for elements in next.inserted { add(elements) }
  }
}

extension DotTable {
  /// Returns what was done to the text since an earlier state, in which no changes of others
  /// may have arrived since.
  ///
  /// - Complexity: O(pages), and O(elements) of those that have changed.
  func textStep(since earlier: DotTable) -> TextStep {
    var step = TextStep()
    for column in columns where !column.texts.isEmpty {
      let place = earlier.column(of: column.replica)
      for page in column.texts.pages {
        let old = place.flatMap { earlier.columns[$0].texts.page(of: page.first) }
        if old === page { continue }
        let living = page.present & ~page.dead
        page.forEachPiece(of: living & ~(old?.present ?? LiveBits())) {
          step.add(page.elements(in: $0))
        }
        guard let old else { continue }
        old.forEachPiece(of: page.dead & old.present & ~old.dead) { slots in
          let text = old.withText(of: slots) { String(decoding: $0, as: UTF8.self) }
          step.add(TextStep.Removal(elements: page.elements(in: slots), text: text))
        }
      }
    }
    return step
  }
}

extension TextPage {
  fileprivate func elements(in slots: Range<Int>) -> TextStep.Elements {
    TextStep.Elements(first: Dot(replica, counter(at: slots.lowerBound)), count: slots.count)
  }
}
