extension ReplicatedTextProtocol {
  /// The runs of characters with the same marks, in order.
  ///
  /// Together they are the whole text; neighbors differ in their marks.
  ///
  ///     for run in body.runs {
  ///       show(body[run.range], isBold: run.marks["bold"] != nil)
  ///     }
  ///
  /// - Complexity: O(m log m + m log n) for n runs of characters and m marks; and for each run,
  ///   O(number of its marks).
  public var runs: ReplicatedText.Runs { runs(of: self, in: 0..<count(in: .utf8)) }

  /// Returns the runs of characters with the same marks between two positions, in order.
  ///
  /// - Precondition: The indices are of this text in its present state.
  /// - Complexity: As ``runs``.
  public func runs(in range: Range<Index>) -> ReplicatedText.Runs {
    runs(of: self, in: checked(range))
  }

  /// Returns the values of the marks, by name, that the character after a position has; none at
  /// the end of the text.
  ///
  /// - Precondition: The index is of this text in its present state.
  /// - Complexity: As ``runs``.
  public func marks(at index: Index) -> [String: String] {
    var runs = runs(in: index..<max(index, endIndex)).makeIterator()
    return runs.next()?.marks ?? [:]
  }

  /// Returns where the text has a mark: all links of a text, or the place of a comment.
  ///
  /// Each of the ranges has one value; they are in order and don't overlap.
  ///
  /// - Complexity: O(m log m + m log n) for n runs of characters and m marks of the name.
  @_specialize(where Self == ReplicatedText)
  public func ranges(markedAs name: String) -> [ReplicatedText.MarkedRange] {
    let events = _table.eventCount
    let entries = markEntries(named: name)
    if entries.isEmpty { return [] }
    return _table.withOrder { order in
      let lower = order.range(ofTextAt: _start).lower.utf8
      return _table.markLayer(entries, inTextAt: _start, &order).joined().map {
        ReplicatedText.MarkedRange(
          range: Range($0.range, after: lower, events: events), value: $0.value)
      }
    }
  }

  /// Returns the ranges whose marks are no longer those of an earlier state of the text, in
  /// order.
  ///
  /// Use it beside ``changes(since:in:)``, which tells what was inserted and removed: first
  /// apply those changes, giving what is inserted its marks, and then show these ranges anew. A
  /// character that was inserted since then is in such a range if it has other marks than those
  /// that the earlier state would give it.
  ///
  /// - Complexity: O(m log m + m log n) for n runs of characters and m marks of both; and for
  ///   each run, O(number of its marks).
  public func markChanges(since earlier: Self) -> [Range<Index>] {
    let whole = 0..<count(in: .utf8)
    var runs = runs(of: self, in: whole).makeIterator()
    var others = self.runs(of: earlier, in: whole).makeIterator()
    var changes: [Range<Int>] = []
    var (run, other) = (runs.next(), others.next())
    while let mine = run, let theirs = other {
      let part = mine.range.clamped(to: theirs.range)
      let offsets = part.lowerBound.offset..<part.upperBound.offset
      if mine.marks != theirs.marks {
        if let last = changes.last, last.upperBound == offsets.lowerBound {
          changes[changes.count - 1] = last.lowerBound..<offsets.upperBound
        } else {
          changes.append(offsets)
        }
      }
      if mine.range.upperBound == part.upperBound { run = runs.next() }
      if theirs.range.upperBound == part.upperBound { other = others.next() }
    }
    return changes.map { Range($0, events: _table.eventCount) }
  }

  /// The runs that the marks of a text, which may be an earlier state, come to in this one.
  @_specialize(where Self == ReplicatedText)
  private func runs(of marks: Self, in range: Range<Int>) -> ReplicatedText.Runs {
    let entries = marks.markEntries(named: nil)
    guard !entries.isEmpty else {
      return ReplicatedText.Runs([], after: 0, in: range, events: _table.eventCount)
    }
    return _table.withOrder { order in
      ReplicatedText.Runs(
        _table.markLayers(entries, inTextAt: _start, &order),
        after: order.range(ofTextAt: _start).lower.utf8, in: range, events: _table.eventCount)
    }
  }

  private func markEntries(named name: String?) -> [MarkEntry] {
    var entries: [MarkEntry] = []
    _forEachMark(named: name) {
      entries.append(MarkEntry(dot: $0, key: $1, row: $2, time: $3))
    }
    return entries
  }
}

extension ReplicatedText {
  /// The runs of characters with the same marks, in the order of the text.
  public struct Runs: Sequence, Sendable {
    /// Where a mark begins, or ends if there is no value.
    fileprivate struct Edge {
      let offset: Int
      let name: String
      let value: String?
    }

    private let edges: [Edge]
    private let range: Range<Int>
    private let events: UInt64

    /// Creates the runs that layers come to in a text that begins at an offset in its table.
    init(
      _ layers: [(key: MarkKey, layer: MarkLayer)], after lower: Int, in range: Range<Int>,
      events: UInt64
    ) {
      var edges: [Edge] = []
      for (key, layer) in layers {
        for (span, value) in layer.joined() {
          edges.append(Edge(offset: span.lowerBound - lower, name: key.name, value: value))
          edges.append(Edge(offset: span.upperBound - lower, name: key.name, value: nil))
        }
      }
      // Of two edges of one name at one offset, the end comes first.
      let order = edges.indices.sorted { (edges[$0].offset, $0) < (edges[$1].offset, $1) }
      self.edges = order.map { edges[$0] }
      self.range = range
      self.events = events
    }

    /// Returns an iterator over the runs.
    public func makeIterator() -> Iterator {
      Iterator(edges: edges, range: range, events: events)
    }

    /// An iterator over runs of characters with the same marks.
    public struct Iterator: IteratorProtocol {
      fileprivate let edges: [Edge]
      fileprivate var range: Range<Int>
      fileprivate let events: UInt64
      private var place = 0
      private var marks: [String: String] = [:]

      fileprivate init(edges: [Edge], range: Range<Int>, events: UInt64) {
        self.edges = edges
        self.range = range
        self.events = events
      }

      /// Returns the next run.
      public mutating func next() -> Run? {
        guard !range.isEmpty else { return nil }
        while place < edges.count, edges[place].offset <= range.lowerBound {
          marks[edges[place].name] = edges[place].value
          place += 1
        }
        let end = place < edges.count ? Swift.min(edges[place].offset, range.upperBound) : nil
        let run = range.lowerBound..<(end ?? range.upperBound)
        range = run.upperBound..<range.upperBound
        return Run(range: Range(run, events: events), marks: marks)
      }
    }
  }
}

extension Range<ReplicatedText.Index> {
  fileprivate init(_ offsets: Range<Int>, after lower: Int = 0, events: UInt64) {
    self =
      ReplicatedText.Index(
        offset: offsets.lowerBound - lower, events: events)..<ReplicatedText.Index(
        offset: offsets.upperBound - lower, events: events)
  }
}
