extension TextOrder {
  /// Makes the order of a table's texts anew, and reads the text at a start while at it.
  init<Key, Payload>(of table: DotTable<Key, Payload>, reading start: Dot? = nil) {
    self.init()
    var columns: ContiguousArray<(replica: ReplicaID, texts: TextColumn)> = []
    for column in table.columns where !column.texts.isEmpty {
      columns.append((column.replica, column.texts))
      let number = Int(number(of: column.replica))
      marks[number] = ContiguousArray(column.texts.pages.lazy.map(\.mark))
      covered[number] = column.texts.lastCounter
    }
    var builder = TextOrderBuilder(columns, order: self, reading: start)
    builder.list()
    self = builder.order
  }

  /// Brings the order up to date with the pages of a table, after a merge.
  ///
  /// If it has to be made anew, the text at a start is read while at it.
  ///
  /// - Complexity: O(pages), and O(n log n) for n runs in pages that have changed.
  mutating func update<Key, Payload>(
    to table: DotTable<Key, Payload>, reading start: Dot? = nil
  ) {
    if isDoubtful || tree.spanCount == 1 {
      self = TextOrder(of: table, reading: start)
      return
    }
    let changed = changes(in: table)
    if changed.isEmpty, changed.areAdditions { return }
    let count = changed.pieces.reduce(0) { $0 + $1.count }
    string = nil
    searched = 0
    if changed.areAdditions, count <= Self.fewPieces || count * 4 <= tree.spanCount {
      kill(changed.dead, in: table)
      place(changed.pieces, in: table)
      if !isDoubtful { return }
    }
    self = TextOrder(of: table, reading: start)
  }

  /// The greatest number of pieces that are placed one by one whatever the text's size.
  private static var fewPieces: Int { 256 }

  /// The greatest number of spans among which places are searched in one update.
  private var searchMax: Int { 16 * tree.spanCount + 100_000 }

  /// The differences between a table and the order.
  private struct Changes {
    /// The new elements of each replica, in the order of their events.
    var pieces: ContiguousArray<ContiguousArray<TextPiece>> = []
    /// Elements in the order that have died.
    var dead: ContiguousArray<(replica: ReplicaID, counters: ClosedRange<UInt64>)> = []
    /// Whether no element that the order has is missing.
    var areAdditions = true
    var isEmpty = true
  }

  private mutating func changes<Key, Payload>(in table: DotTable<Key, Payload>) -> Changes {
    var changes = Changes()
    var pageCount = 0
    for place in table.columns.indices where !table.columns[place].texts.isEmpty {
      let number = Int(number(of: table.columns[place].replica))
      pageCount += table.columns[place].texts.pages.count
      var new: ContiguousArray<TextPiece> = []
      var known = 0
      for (index, page) in table.columns[place].texts.pages.enumerated() {
        let mark = page.mark
        if known < marks[number].count, marks[number][known].first == mark.first {
          known += 1
          if marks[number][known - 1] == mark { continue }
          let kept = page.present & page.slots(upTo: covered[number])
          if marks[number][known - 1].count > kept.count { changes.areAdditions = false }
          marks[number][known - 1] = mark
        } else {
          if known < marks[number].count { changes.areAdditions = false }
          marks[number].append(mark)
          known = index + 1
        }
        changes.isEmpty = false
        collect(page, covered[number], &new, &changes.dead)
      }
      while changes.pieces.count <= number { changes.pieces.append([]) }
      changes.pieces[number] = new
    }
    while changes.pieces.count < replicas.count { changes.pieces.append([]) }
    // A page that is gone, of any replica, took its elements with it.
    if marks.reduce(0, { $0 + $1.count }) != pageCount { changes.areAdditions = false }
    return changes
  }

  /// Adds a page's elements after an event to those to be placed, and its dead ones up to
  /// that event to those that may have died.
  private func collect(
    _ page: TextPage, _ covered: UInt64, _ new: inout ContiguousArray<TextPiece>,
    _ dead: inout ContiguousArray<(replica: ReplicaID, counters: ClosedRange<UInt64>)>
  ) {
    let known = page.slots(upTo: covered)
    var runs = page.dead & known
    var slot = runs.next(from: 0)
    while slot < TextPage.slotCount {
      let end = runs.nextGap(from: slot)
      dead.append((page.replica, page.counter(at: slot)...page.counter(at: end - 1)))
      slot = runs.next(from: end)
    }
    runs = page.present & ~known
    page.forEachPiece(of: runs) { piece in
      var slot = piece.lowerBound
      while slot < piece.upperBound {
        let isDead = page.dead[slot]
        let end = min(
          piece.upperBound, isDead ? page.dead.nextGap(from: slot) : page.dead.next(from: slot))
        new.append(TextPiece(page, slot..<end, isDead: isDead))
        slot = end
      }
    }
  }

  /// Marks elements as dead that the order has.
  mutating func kill(
    _ dead: ContiguousArray<(replica: ReplicaID, counters: ClosedRange<UInt64>)>,
    in elements: some TextElements
  ) {
    for (replica, counters) in dead {
      let number = number(of: replica)
      var counter = counters.lowerBound
      while counter <= counters.upperBound {
        let element = Element(replica: number, counter: counter)
        guard let position = tree.find(element) else { break }
        let span = tree[position]
        let last = min(span.last.counter, counters.upperBound)
        if !span.isDead, let (page, slot) = elements.textElement(at: dot(span.first)) {
          string = nil
          let slots = slot..<slot + span.count
          if page.hasText(of: slots) {
            killPart(from: element, through: last, of: span, at: position, in: elements)
          } else {
            killAll(of: span, at: position, page, slots, in: elements)
          }
        }
        counter = last + 1
      }
    }
  }

  /// Marks some elements of a living span as dead, whose text is stored.
  mutating func killPart(
    from element: Element, through last: UInt64, of span: SpanTree.Span,
    at position: SpanTree.Position, in elements: some TextElements
  ) {
    let start = Int(element.counter &- span.first.counter)
    let end = Int(last &- span.first.counter) &+ 1
    if start == 0, end == span.count {
      _ = tree.setDead(position)
      return
    }
    if end == span.count {
      let size = span.size - size(of: span, upTo: start, in: elements)
      if tree.killEnd(of: position, end &- start, size: size) { return }
    } else if start == 0 {
      let size = size(of: span, upTo: end, in: elements)
      if tree.killStart(of: position, end, size: size) { return }
    }
    if last < span.last.counter {
      _ = split(after: Element(replica: element.replica, counter: last), in: elements)
    }
    if let position = split(before: element, in: elements) { _ = tree.setDead(position) }
  }

  /// Marks all elements of a living span as dead that are dead in the page.
  ///
  /// The text of the dead ones is no longer there, so their part of the span's size isn't
  /// known. The others are measured anew.
  private mutating func killAll(
    of span: SpanTree.Span, at position: SpanTree.Position, _ page: TextPage,
    _ slots: Range<Int>, in elements: some TextElements
  ) {
    _ = tree.setDead(position)
    var slot = slots.lowerBound
    let living = page.present & ~page.dead
    while true {
      slot = living.next(from: slot)
      guard slot < slots.upperBound else { return }
      let end = min(living.nextGap(from: slot), slots.upperBound)
      let last = Element(replica: span.first.replica, counter: page.counter(at: end - 1))
      _ = split(after: last, in: elements)
      let first = Element(replica: span.first.replica, counter: page.counter(at: slot))
      if let position = split(before: first, in: elements) {
        tree.setLiving(position, size: page.withText(of: slot..<end) { TextSize(of: $0) })
      }
      slot = end
    }
  }

  /// Places new elements, each after those that its anchor names.
  private mutating func place(
    _ pieces: ContiguousArray<ContiguousArray<TextPiece>>, in elements: some TextElements
  ) {
    var next = ContiguousArray(repeating: 0, count: pieces.count)
    // Replicas that wait for elements of the ones after them.
    var waiting: ContiguousArray<Int> = []
    var isWaiting = ContiguousArray(repeating: false, count: pieces.count)
    for replica in replicas.indices.sorted(by: { replicas[$0] < replicas[$1] }) {
      var current = replica
      while true {
        guard next[current] < pieces[current].count else {
          guard let waiter = waiting.popLast() else { break }
          isWaiting[waiter] = false
          current = waiter
          continue
        }
        let piece = pieces[current][next[current]]
        if let other = missing(for: piece, pieces, next, isWaiting, current) {
          isWaiting[current] = true
          waiting.append(current)
          current = other
          continue
        }
        place(piece, in: elements)
        next[current] += 1
        if searched > searchMax {
          isDoubtful = true
          return
        }
        // Go back as soon as possible, so that the order of placing depends on as little
        // as possible.
        if let waiter = waiting.last,
          missing(for: pieces[waiter][next[waiter]], pieces, next, isWaiting, waiter) != current
        {
          waiting.removeLast()
          isWaiting[waiter] = false
          current = waiter
        }
      }
    }
  }

  /// Returns a replica of which a piece's anchor names an element that is still to be
  /// placed; none that waits itself, because only a hostile peer's elements wait for one
  /// another.
  private func missing(
    for piece: TextPiece, _ pieces: ContiguousArray<ContiguousArray<TextPiece>>,
    _ next: ContiguousArray<Int>, _ isWaiting: ContiguousArray<Bool>, _ current: Int
  ) -> Int? {
    for dot in [piece.anchor.parent, piece.anchor.rightOrigin] where !dot.isStart {
      guard let number = number(known: dot.replica), number != current, !isWaiting[number],
        dot.counter > covered[number], next[number] < pieces[number].count,
        pieces[number].last.map({ $0.lastCounter >= dot.counter }) ?? false
      else { continue }
      return number
    }
    return nil
  }
}
