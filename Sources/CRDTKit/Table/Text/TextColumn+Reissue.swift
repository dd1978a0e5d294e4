extension TextColumn {
  /// Gives the elements the name of their column's replica, and replaces the name of a
  /// renamed line in anchors.
  mutating func rename(_ reissue: Reissue, as name: ReplicaID) {
    func renamed(_ dot: Dot) -> Dot {
      dot.replica == reissue.replica && dot.counter > reissue.parting && !dot.isStart
        ? Dot(reissue.name, dot.counter) : dot
    }
    /// How many elements of a run stand for others; those behind the parting have two names.
    func standInCount(_ anchor: TextAnchor) -> UInt16 {
      let first = anchor.rightOriginOfNext
      guard first.replica == reissue.replica, first.counter <= reissue.parting else {
        return anchor.standInCount
      }
      let before = reissue.parting - first.counter + 1
      return before < UInt64(anchor.standInCount) ? UInt16(before) : anchor.standInCount
    }
    // Anchors of the events before the parting name events before it only.
    guard name != reissue.replica else { return }
    for place in pages.indices {
      let page = pages[place]
      let names = page.runs.contains {
        renamed($0.parent) != $0.parent || renamed($0.rightOrigin) != $0.rightOrigin
          || standInCount($0.anchor) != $0.standInCount
      }
      guard names || page.replica != name else { continue }
      pages[place] = page.renamed(name) { anchor in
        TextAnchor(
          parent: renamed(anchor.parent), rightOrigin: renamed(anchor.rightOrigin),
          isLeft: anchor.isLeft, standInCount: standInCount(anchor))
      }
    }
  }

  /// Gives the elements that another column has under other anchors the lesser of the two.
  ///
  /// After a line of events was renamed on one side, the two sides may name the element that
  /// a third replica's is anchored to differently. Both sides choose the same name so. Returns
  /// whether anything has changed.
  @discardableResult
  mutating func takeLesserAnchors(of other: TextColumn) -> Bool {
    var hasChanged = false
    for place in pages.indices {
      let page = pages[place]
      guard let theirs = other.page(of: page.first), theirs !== page else { continue }
      let shared = page.present & theirs.present
      var lesser: [Int: TextAnchor] = [:]
      var differs = false
      for run in page.runs + theirs.runs where shared[Int(run.slot)] {
        let (mine, their) = (page.anchor(of: Int(run.slot)), theirs.anchor(of: Int(run.slot)))
        lesser[Int(run.slot)] = min(mine, their)
        differs = differs || their < mine
      }
      guard differs else { continue }
      pages[place] = page.withAnchors(lesser)
      hasChanged = true
    }
    return hasChanged
  }

  /// Returns the last event up to a counter that is not within an insertion: some events, and
  /// then as many elements.
  ///
  /// - Complexity: O(elements after the result).
  func beforeInsertion(at counter: UInt64) -> UInt64 {
    var counter = counter
    while counter > 0, let elements = elements(from: counter + 1) {
      let count = elements.upperBound - elements.lowerBound + 1
      let first = elements.lowerBound - min(count, elements.lowerBound - 1)
      guard first <= counter else { break }
      counter = first - 1
    }
    return counter
  }

  /// Returns the events of consecutive elements, of which the first that is not before a counter
  /// is one; `nil` if there is none.
  private func elements(from counter: UInt64) -> ClosedRange<UInt64>? {
    var place = place(of: TextPage.start(of: counter))
    while place < pages.count {
      let page = pages[place]
      let slot = page.present.next(from: counter > page.first ? Int(counter - page.first) : 0)
      if slot < TextPage.slotCount {
        var (first, last) = (page.counter(at: slot), page.counter(at: slot))
        while find(first - 1) != nil { first -= 1 }
        while find(last + 1) != nil { last += 1 }
        return first...last
      }
      place += 1
    }
    return nil
  }

  /// Calls the body with the replicas that anchors name; it may pass one more than once.
  @usableFromInline
  func forEachNamedReplica(_ body: (ReplicaID) -> Void) {
    for page in pages {
      for run in page.runs {
        if !run.parent.isStart { body(run.parent.replica) }
        if !run.rightOrigin.isNone { body(run.rightOrigin.replica) }
      }
    }
  }

  func checkInvariants(of replica: ReplicaID, seen: UInt64) {
    for (page, next) in zip(pages, pages.dropFirst()) {
      precondition(page.first < next.first, "pages of text at \(page.first), \(next.first)")
    }
    for page in pages {
      precondition(page.replica == replica, "text of \(page.replica) in \(replica)'s column")
      precondition(!page.present.isEmpty, "an empty page of text at \(page.first)")
      precondition(page.counter(at: page.present.last) <= seen, "text after event \(seen)")
      precondition(
        page.dead & ~page.present == LiveBits() && page.texted & ~page.present == LiveBits()
          && page.present & ~page.dead & ~page.texted == LiveBits(),
        "the bitmaps of the page of text at \(page.first)")
      page.forEachPiece(of: page.present) { piece in
        precondition(
          page.isRunStart(piece.lowerBound)
            || piece.lowerBound > 0 && page.present[piece.lowerBound - 1],
          "no anchor at \(page.counter(at: piece.lowerBound))")
      }
      for run in page.runs.dropFirst() {
        precondition(
          !page.present[Int(run.slot) - 1]
            || run.anchor
              != page.anchor(of: Int(run.slot) - 1).next(
                after: Dot(replica, page.counter(at: Int(run.slot) - 1))),
          "a run of text that goes on with the one before at \(page.counter(at: Int(run.slot)))")
      }
      let scalars = page.text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
      precondition(scalars == page.texted.count, "\(scalars) scalars, \(page.texted.count) slots")
    }
  }
}

extension TextPage {
  /// Returns a copy with other anchors of some elements.
  fileprivate func withAnchors(_ anchors: [Int: TextAnchor]) -> TextPage {
    let copy = TextPage(of: replica, first: first)
    let starts = anchors.keys.sorted()
    forEachPiece(of: present) { piece in
      var start = piece.lowerBound
      for end in starts.filter({ $0 > start && $0 < piece.upperBound }) + [piece.upperBound] {
        // A piece within a run goes on from the anchor that the run has now.
        let next = isRunStart(start) ? nil : copy.anchorOfNext(at: start)
        copy.append(self, start..<end, anchors[start] ?? next ?? anchor(of: start))
        start = end
      }
    }
    copy.kill(dead)
    return copy
  }
}

extension TextAnchor: Comparable {
  /// An arbitrary order that is the same on every machine.
  @usableFromInline
  package static func < (left: TextAnchor, right: TextAnchor) -> Bool {
    (left.parent, left.rightOrigin, left.isLeft ? 1 : 0, left.standInCount)
      < (right.parent, right.rightOrigin, right.isLeft ? 1 : 0, right.standInCount)
  }
}
