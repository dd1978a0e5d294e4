/// What the rows of one mark come to: parts of the text, each with the row that counts there.
struct MarkLayer {
  typealias MarkRow = ReplicatedText.MarkRow

  /// A row, and where it now begins and ends, in UTF-8 among all texts of its table.
  struct Stroke {
    let entry: MarkEntry
    let range: Range<Int>
  }

  /// The parts that have the mark, in order, and the row that counts in each.
  let parts: [(range: Range<Int>, row: MarkRow)]

  /// Finds, for each part of the text, the row with the greatest stamp, and of those with the
  /// same the latest, and then the one with the greatest dot.
  ///
  /// - Complexity: O(n log n) for n rows.
  init(_ strokes: [Stroke]) {
    let offsets = strokes.flatMap { [$0.range.lowerBound, $0.range.upperBound] }.sorted()
    var winners = [MarkRow?](repeating: nil, count: offsets.count)
    // The next part that no row has taken, from each part on; a path is halved when it is walked.
    var free = Array(0...offsets.count)
    func firstFree(from part: Int) -> Int {
      var part = part
      while free[part] != part {
        free[part] = free[free[part]]
        part = free[part]
      }
      return part
    }
    for stroke in strokes.sorted(by: { $0.entry.counts(before: $1.entry) }) {
      let end = offsets.indices.partitioningIndex { offsets[$0] >= stroke.range.upperBound }
      var part = firstFree(
        from: offsets.indices.partitioningIndex { offsets[$0] >= stroke.range.lowerBound })
      while part < end {
        winners[part] = stroke.entry.row
        free[part] = part + 1
        part = firstFree(from: part)
      }
    }
    parts = offsets.indices.dropLast().compactMap { part in
      guard let row = winners[part], row.value != nil, offsets[part] < offsets[part + 1] else {
        return nil
      }
      return (offsets[part]..<offsets[part + 1], row)
    }
  }

  /// The parts and their values, with neighbors of one value as one.
  func joined() -> [(range: Range<Int>, value: String)] {
    var joined: [(range: Range<Int>, value: String)] = []
    for (range, row) in parts {
      guard let value = row.value else { continue }
      if let last = joined.last, last.range.upperBound == range.lowerBound,
        KeyIdentity.areSame(last.value, value)
      {
        joined[joined.count - 1].range = last.range.lowerBound..<range.upperBound
      } else {
        joined.append((range, value))
      }
    }
    return joined
  }

  /// Returns whether each character of a range has the mark with a value.
  func covers(_ range: Range<Int>, with value: String) -> Bool {
    joined().contains {
      $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound
        && KeyIdentity.areSame($0.value, value)
    }
  }

  /// Returns the row that counts for the character at an offset, if that has the mark.
  func row(at offset: Int) -> MarkRow? {
    let part = parts.indices.partitioningIndex { parts[$0].range.upperBound > offset }
    return part < parts.count && parts[part].range.contains(offset) ? parts[part].row : nil
  }
}

extension DotTable {
  /// Returns what rows of marks come to in a text, each mark by itself, in the order of their
  /// first rows.
  ///
  /// The rows may be those of an earlier state.
  func markLayers(
    _ entries: [MarkEntry], inTextAt start: Dot, _ order: inout TextOrder
  ) -> [(key: ReplicatedText.MarkKey, layer: MarkLayer)] {
    var strokes: [(key: ReplicatedText.MarkKey, strokes: [MarkLayer.Stroke])] = []
    var places: [ReplicatedText.MarkKey: Int] = [:]
    for entry in entries {
      guard let stroke = stroke(entry, inTextAt: start, &order) else { continue }
      let place = places[entry.key] ?? strokes.count
      if place == strokes.count {
        places[entry.key] = place
        strokes.append((entry.key, []))
      }
      strokes[place].strokes.append(stroke)
    }
    return strokes.map { ($0.key, MarkLayer($0.strokes)) }
  }

  /// Returns what the rows of one mark come to in a text.
  func markLayer(
    _ entries: [MarkEntry], inTextAt start: Dot, _ order: inout TextOrder
  ) -> MarkLayer {
    MarkLayer(entries.compactMap { stroke($0, inTextAt: start, &order) })
  }

  /// Returns where a row now begins and ends; `nil` if it covers no character, or if one of its
  /// anchors' characters has not been seen here.
  private func stroke(
    _ entry: MarkEntry, inTextAt start: Dot, _ order: inout TextOrder
  ) -> MarkLayer.Stroke? {
    guard let lower = offset(of: entry.row.start, isEnd: false, inTextAt: start, &order),
      let upper = offset(of: entry.row.end, isEnd: true, inTextAt: start, &order), lower < upper
    else { return nil }
    return MarkLayer.Stroke(entry: entry, range: lower..<upper)
  }

  /// Returns the present position of an anchor, in UTF-8 among all texts; `nil` if its character
  /// is not of the text.
  private func offset(
    of anchor: ReplicatedText.Anchor, isEnd: Bool, inTextAt start: Dot, _ order: inout TextOrder
  ) -> Int? {
    guard
      let element = anchor.element.map({
        markedElement($0, isLast: isEnd, inTextAt: start, &order)
      })
    else {
      let (lower, upper) = order.range(ofTextAt: start)
      return anchor.side == .after ? lower.utf8 : upper.utf8
    }
    guard start.isNone || order.has(element, inTextAt: start),
      let before = order.size(before: element, in: texts)
    else { return nil }
    guard anchor.side == .after, let (page, slot) = textElement(at: element), !page.dead[slot]
    else { return before.utf8 }
    return before.utf8 + page.withText(of: slot..<slot + 1) { $0.count }
  }

  /// Returns the element that stands for the one at which a mark begins or ends.
  func markedElement(
    _ element: Dot, isLast: Bool, inTextAt start: Dot, _ order: inout TextOrder
  ) -> Dot {
    representative(of: element, isLast: isLast, inTextAt: start.isNone ? nil : start, &order)
  }
}
