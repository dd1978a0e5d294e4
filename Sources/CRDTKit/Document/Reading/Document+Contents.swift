extension Document {
  /// The rows of a record or object, sorted by where they stand, and read together.
  struct Contents {
    /// What stands directly in one place.
    struct Layer {
      var fields: [String: FieldRows] = [:]
      /// The elements in the order of their dots, each once.
      var elements: [Value] = []
      var known: Set<Value> = []

      mutating func add(_ element: Value) {
        if known.insert(element).inserted { elements.append(element) }
      }
    }

    private var layers: [Place: Layer] = [:]

    /// Gathers rows, given by their dots.
    init(_ dots: ContiguousArray<Dot>, of table: DotTable<RowKey, RowPayload>) {
      for dot in dots {
        guard let row = table.row(at: dot) else { continue }
        switch row.key.part {
        case .existence, .deletion: break
        case .element(let value): layers[row.key.place, default: Layer()].add(value)
        case .field(let name):
          layers[row.key.place, default: Layer()].fields[name, default: FieldRows()]
            .add(row.payload, at: dot)
        }
      }
      for (place, layer) in layers where !layer.elements.isEmpty {
        guard let outer = place.parent else { continue }
        layers[outer, default: Layer()].fields[place.name, default: FieldRows()]
          .hasElements = true
      }
    }
  }
}

extension Document.Contents {
  /// The rows of an object's fields, by name.
  func rows(in place: Document.Place) -> [String: Document.FieldRows] {
    layers[place]?.fields ?? [:]
  }

  /// The fields of an object.
  func fields(in place: Document.Place, under rules: RuleTree?) -> [String: Document.Value] {
    guard let layer = layers[place] else { return [:] }
    var fields: [String: Document.Value] = [:]
    fields.reserveCapacity(layer.fields.count)
    for (name, rows) in layer.fields {
      let target = Document.Editor.Target(place: place, name: name, rules: rules?.beneath(name))
      fields[name] = value(of: rows, at: target)
    }
    return fields
  }

  /// What a field shows; `nil` where it is absent.
  func value(
    of rows: Document.FieldRows, at target: Document.Editor.Target
  ) -> Document.Value? {
    switch rows.shown(under: target.rule) {
    case .value(let value)?: value
    case .count(let count)?: .int(count)
    case .object?: .object(fields(in: target.beneath, under: target.rules))
    case .set?:
      .array(elements(in: target.beneath, with: rows.plainElements(under: target.rule)))
    case nil: nil
    }
  }

  /// A candidate of a field, as a whole.
  func value(
    of candidate: Document.FieldRows.Candidate, at target: Document.Editor.Target
  ) -> Document.Value {
    switch candidate.content {
    case .value(let value), .revision(let value, of: _): value
    case .set: .array(elements(in: target.beneath, with: []))
    default: .object(fields(in: target.beneath, under: target.rules))
    }
  }

  /// The elements of a set in their order, with others that a plain array had.
  private func elements(
    in place: Document.Place, with others: [Document.Value]
  ) -> [Document.Value] {
    var layer = layers[place] ?? Layer()
    for element in others { layer.add(element) }
    return layer.elements.sorted()
  }
}
