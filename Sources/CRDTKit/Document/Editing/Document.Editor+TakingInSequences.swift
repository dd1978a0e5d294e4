extension Document.Editor {
  /// Applies the elements of a list; those that are new get names that follow from their
  /// values, so that stores that receive the same array don't insert them twice.
  mutating func takeIn(
    _ elements: [Document.Value], base: Document.Value, ofListAt target: Target,
    _ intake: inout Intake
  ) {
    var old: [Document.Value] = []
    if case .array(let known) = base, !isLost(target.key, intake) { old = known }
    _ = changeList(at: target, from: old, to: elements, isShared: true) {
      edit, index, element, before in
      edit.takeIn(elements[index], base: before, at: element, &intake)
      if before != nil { edit.confirmObject(at: element, intake) }
    }
  }

  /// Makes the rows by which others say that an element is an object, and which the authority
  /// has not seen, the authority's own: it removes the element with all that is in it.
  private mutating func confirmObject(at element: Target, _ intake: Intake) {
    let theirs = unseenDots(of: element.key, besides: intake.own).filter { dot in
      if case .object? = table.row(at: dot)?.payload.content { true } else { false }
    }
    if theirs.isEmpty { return }
    table.write(
      row(element.key, .object), by: replica, killing: dots(of: element.key) + theirs)
  }
}

extension Document.Editor {
  /// Applies an authority's string to a text: what it has changed since it last showed the text.
  ///
  /// What others have written, and what they have removed, stays until the authority has shown
  /// it, so that no text is lost that its writer has yet to send. If it isn't known what the
  /// authority has shown, that is the base, without what others have written and the string
  /// lacks.
  mutating func takeIn(
    _ string: String, base: String, ofTextAt target: Target, _ intake: Intake
  ) {
    let all = allRows(of: target)
    guard case .text? = all.shown(at: target) else {
      _ = assignText(string, changedFrom: base, to: target)
      return
    }
    let current = table.text(of: all)
    let shown =
      intake.shown[target.path]
      ?? TextDifference.base(
        base, of: string, in: current,
        without: runs(of: all.textStarts) { !sees($0) && $0.replica != intake.own })
    let edits = AuthorityMerge.edits(
      from: shown, to: string, over: current, unseen: runs(of: all.textStarts) { !sees($0) },
      foreign: runs(of: all.textStarts) {
        $0.replica != intake.own && $0.replica != replica && sees($0)
      })
    if !edits.isEmpty { edit(all.textStarts, of: target, by: edits) }
  }

  /// The ranges, in bytes, of the characters of texts that meet a condition.
  ///
  /// Each is what one edit has inserted, or what was typed letter by letter.
  func runs(
    of starts: ContiguousArray<Dot>, where isIncluded: (Dot) -> Bool
  ) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var end = 0
    for start in starts {
      var last: (dot: Dot, length: Int)?
      var scalars = table.textString(at: start).unicodeScalars.makeIterator()
      table.forEachCharacter(ofTextAt: start) { dot in
        let place = end
        end += scalars.next().map { UTF8.width($0) } ?? 0
        guard isIncluded(dot) else {
          last = nil
          return
        }
        // Each edit has an event for its field, too.
        let gap = last.map { $0.dot.replica == dot.replica ? dot.counter &- $0.dot.counter : 0 }
        let isNext = gap == 1
        if let last, isNext || last.length == 1 && (gap == 2 || gap == 3) {
          runs[runs.count - 1] = runs[runs.count - 1].lowerBound..<end
        } else {
          runs.append(place..<end)
        }
        last = (dot, isNext ? (last?.length ?? 0) + 1 : 1)
      }
    }
    return runs
  }
}

extension TextDifference {
  /// A base without some of the present string's bytes that a string lacks.
  fileprivate static func base(
    _ base: String, of string: String, in current: String, without ranges: [Range<Int>]
  ) -> String {
    if ranges.isEmpty { return base }
    var (base, string, current) = (base, string, current)
    return base.withUTF8 { base in
      let ours = current.withUTF8 { TextDifference(from: base, to: $0).edits }
      let theirs = string.withUTF8 { TextDifference(from: base, to: $0).edits }
      var isLeftOut = [Bool](repeating: false, count: base.count)
      var rebase = EditRebase(over: ours.map(\.inverse))
      for range in ranges {
        let pieces = rebase.place(of: Edit(removed: range, inserted: 0..<0)).removed
        for offset in pieces.joined() { isLeftOut[offset] = true }
      }
      var left: [UInt8] = []
      var place = 0
      for edit in theirs {
        left += base[place..<edit.removed.lowerBound]
        left += edit.removed.lazy.filter { !isLeftOut[$0] }.map { base[$0] }
        place = edit.removed.upperBound
      }
      left += base[place...]
      return String(decoding: left, as: UTF8.self)
    }
  }
}
