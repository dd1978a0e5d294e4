extension Document {
  /// What a commit removed from the text of a field, which an undo of the commit puts back.
  ///
  /// The elements that an undo inserts stand for the removed ones, so that anchors and marks
  /// come back too.
  package struct RemovedText: Hashable, Sendable {
    /// The field.
    package let path: FieldPath
    /// The removed elements with their text; none if the commit only inserted.
    var step = TextStep()
  }

  /// The texts of the rows that changes are going to replace or remove, without what that
  /// removes.
  ///
  /// A field that shows two texts, as its name was spelled in two ways, isn't among them.
  package func texts(among rows: [ReplacedRow]) -> [RemovedText] {
    var starts: [FieldPath: Set<Dot>] = [:]
    for row in rows where row.element == nil {
      guard let dot = row.origin.dots.first, let stored = _table.row(at: dot),
        case .text = stored.payload.content
      else { continue }
      starts[row.path, default: []].insert(stored.key.textStart)
    }
    return starts.filter { $0.value.count == 1 }.keys
      .sorted { $0.description.comes(before: $1.description) }.map { RemovedText(path: $0) }
  }

  /// What was removed from texts since an earlier state, in which no changes of others may have
  /// arrived since.
  ///
  /// - Complexity: O(pages), and O(r log n) for r removed runs and n of the document.
  package func removedTexts(since earlier: Document) -> RemovedTexts {
    RemovedTexts(
      earlier: earlier, steps: _table.byTexts(_table.textStep(since: earlier._table).removed))
  }

  /// What was removed from texts of a document since an earlier state.
  package struct RemovedTexts: Sendable {
    fileprivate let earlier: Document
    /// What was removed, by the starts of the texts.
    fileprivate let steps: [Dot: TextStep]

    /// What was removed from some texts of a record.
    package func of(_ texts: [RemovedText], in record: RecordID) -> [RemovedText] {
      texts.compactMap { text in
        guard let target = earlier.target(of: text.path, of: record.record, in: record.collection),
          let start = earlier.rows(of: target).textStarts.first
        else { return nil }
        var text = text
        text.step = steps[start] ?? TextStep()
        return text
      }
    }
  }
}

extension DotTable {
  /// Removals by the starts of the texts that their elements are in.
  fileprivate func byTexts(_ removals: ContiguousArray<TextStep.Removal>) -> [Dot: TextStep] {
    withOrder { order in
      var steps: [Dot: TextStep] = [:]
      for removal in removals {
        var (start, first, text) = (nil as Dot?, removal.elements.first, String.UnicodeScalarView())
        func add() {
          guard let start, !text.isEmpty else { return }
          let elements = TextStep.Elements(first: first, count: text.count)
          steps[start, default: TextStep()].add(
            TextStep.Removal(elements: elements, text: String(text)))
        }
        for (dot, scalar) in zip(removal.elements.dots, removal.text.unicodeScalars) {
          // A run is in one text.
          if start == nil || textElement(at: dot).map({ $0.page.isRunStart($0.slot) }) ?? true {
            let next = order.start(ofTextWith: dot)
            if next != start {
              add()
              (start, first, text) = (next, dot, String.UnicodeScalarView())
            }
          }
          text.append(scalar)
        }
        add()
      }
      return steps
    }
  }

  /// The elements of a text, living or dead, that a commit inserted.
  func elements(of events: Document.CommitEvents, inTextAt start: Dot) -> TextStep {
    withOrder { order in
      var step = TextStep()
      let (replicas, counters) = (order.replicas, events.counters)
      order.forEachSpan(ofTextAt: start) { span in
        let first = max(span.first.counter, counters.lowerBound)
        let last = min(span.last.counter, counters.upperBound)
        guard first <= last, replicas[Int(span.first.replica)] == events.replica else { return }
        step.add(
          TextStep.Elements(first: Dot(events.replica, first), count: Int(last - first) + 1))
      }
      return step
    }
  }

  /// Whether all elements that a step removed are in a text.
  func hasRemoved(_ step: TextStep, inTextAt start: Dot) -> Bool {
    withOrder { order in
      step.removed.allSatisfy { removal in
        removal.elements.dots.allSatisfy { order.has($0, inTextAt: start) }
      }
    }
  }
}

extension Document.CommitMark {
  /// What the commit removed from a text that is in a table.
  ///
  /// It is `nil` if that isn't known: if the commit made the text, or the table doesn't have
  /// the elements.
  func removed<Key, Payload>(
    at path: FieldPath, from start: Dot, in table: DotTable<Key, Payload>
  ) -> TextStep? {
    guard let text = texts.first(where: { $0.path == path }),
      table.hasRemoved(text.step, inTextAt: start)
    else { return nil }
    return text.step
  }
}

extension Document.RemovedText: CanonicalCodable {
  package func encode(to writer: inout ByteWriter) {
    path.names.encode(to: &writer)
    writer.write(varint: UInt64(step.removed.count))
    for removal in step.removed {
      removal.elements.first.replica.encode(to: &writer)
      writer.write(varint: removal.elements.first.counter)
      removal.text.encode(to: &writer)
    }
  }

  package init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    path = FieldPath(try [String](from: &reader))
    guard path.isUsable else {
      throw DecodingFailure(.invalidValue("a path that no record has"), at: start)
    }
    for _ in 0..<(try reader.readCount(of: "removed pieces of a text")) {
      let replica = try ReplicaID(from: &reader)
      let start = reader.offset
      let counter = try reader.readVarint()
      let text = try String(from: &reader)
      let count = text.unicodeScalars.count
      guard counter > 0, count > 0, counter <= Dot.counterMax - UInt64(count) + 1 else {
        throw DecodingFailure(.outOfBounds("removed text"), at: start)
      }
      let elements = TextStep.Elements(first: Dot(replica, counter), count: count)
      // In order, so none is named twice; and pieces that follow each other are one.
      if let last = step.removed.last?.elements {
        guard last.last < elements.first, !last.isContinued(by: elements) else {
          throw DecodingFailure(.notCanonical("the order of removed pieces of a text"), at: start)
        }
      }
      step.add(TextStep.Removal(elements: elements, text: text))
    }
  }

  /// Reads what one commit removed from the texts of a record: each text once.
  package static func list(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> [Document.RemovedText] {
    let start = reader.offset
    let texts = try [Self](from: &reader)
    let isInOrder = zip(texts, texts.dropFirst()).allSatisfy {
      !$1.path.description.comes(before: $0.path.description)
    }
    guard isInOrder, Set(texts.lazy.map(\.path)).count == texts.count else {
      throw DecodingFailure(.notCanonical("the order of texts of a record"), at: start)
    }
    return texts
  }
}
