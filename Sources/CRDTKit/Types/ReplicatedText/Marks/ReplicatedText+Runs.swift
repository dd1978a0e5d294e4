extension ReplicatedText {
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
  public var runs: Runs { Runs(_table, in: 0..<count(in: .utf8)) }

  /// Returns the runs of characters with the same marks between two positions, in order.
  ///
  /// - Precondition: The indices are of this text in its present state.
  /// - Complexity: As ``runs``.
  public func runs(in range: Range<Index>) -> Runs {
    Runs(_table, in: checked(range))
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
  public func ranges(markedAs name: String) -> [MarkedRange] {
    let events = _table.eventCount
    return _table.withOrder { _table.layer(of: MarkKey(name: name), in: &$0) }.joined().map {
      MarkedRange(range: Range($0.range, events: events), value: $0.value)
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
    var runs = Runs(_table, in: whole).makeIterator()
    var others = Runs(earlier._table, in: whole, of: _table).makeIterator()
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

    /// Creates the runs that the marks of a table come to in the text of another.
    init(
      _ table: DotTable<MarkKey, MarkRow>, in range: Range<Int>,
      of shown: DotTable<MarkKey, MarkRow>? = nil
    ) {
      let shown = shown ?? table
      let layers = table.rowCount == 0 ? [] : shown.withOrder { table.layers(in: &$0, of: shown) }
      var edges: [Edge] = []
      for (key, layer) in layers {
        for span in layer.joined() {
          edges.append(Edge(offset: span.range.lowerBound, name: key.name, value: span.value))
          edges.append(Edge(offset: span.range.upperBound, name: key.name, value: nil))
        }
      }
      // Of two edges of one name at one offset, the end comes first.
      let order = edges.indices.sorted { (edges[$0].offset, $0) < (edges[$1].offset, $1) }
      self.edges = order.map { edges[$0] }
      self.range = range
      events = shown.eventCount
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
  fileprivate init(_ offsets: Range<Int>, events: UInt64) {
    self =
      ReplicatedText.Index(
        offset: offsets.lowerBound, events: events)..<ReplicatedText.Index(
        offset: offsets.upperBound, events: events)
  }
}
