extension Document {
  /// The node from which a model is decoded; `nil` if the record is absent.
  func node(of record: String, in collection: String) -> CodableNode? {
    let place = Place(record: record, in: collection)
    if schema.collections[collection]?.hasMergedFields != true {
      let rows = RecordRows(of: place, in: _table)
      if rows.isPlain { return rows.exists ? rows.node : nil }
    }
    return presentContents(of: place)?.node(in: place, under: rules(of: collection))
  }
}

extension Document.Contents {
  /// The node of an object, with all states of its merged fields.
  func node(in place: Document.Place, under rules: RuleTree?) -> CodableNode {
    let rows = rows(in: place)
    var fields: [CodableNode.Field] = []
    fields.reserveCapacity(rows.keys.count)
    for (number, name) in rows.keys.enumerated() {
      let target = Document.Editor.Target(place: place, name: name, rules: rules?.beneath(name))
      if let node = node(of: rows.values[number], at: target) {
        fields.append(CodableNode.Field(key: name, node: node))
      }
    }
    return .object(ofUnsorted: fields)
  }

  /// The nodes of a list's elements, in order.
  private func nodes(ofListIn place: Document.Place, under rules: RuleTree?) -> [CodableNode] {
    let rows = rows(in: place)
    return elementNumbers(in: place).compactMap { number, _ in
      let name = rows.keys[number]
      let target = Document.Editor.Target(place: place, name: name, rules: rules?.beneath(name))
      return node(of: rows.values[number], at: target)
    }
  }

  private func node(
    of rows: Document.FieldRows, at target: Document.Editor.Target
  ) -> CodableNode? {
    // A single row with a value needs no choice.
    if let value = rows.plainValue, target.rule != .merged { return value.node }
    switch rows.shown(at: target) {
    case .object?: return node(in: beneath(target), under: target.rules)
    case .list? where rows.isListAlone:
      return .array(nodes(ofListIn: beneath(target), under: target.rules))
    case .value(.bytes(let shown))? where target.rule == .merged:
      // The order is the same wherever the rows are the same.
      let states = [shown] + rows.states.filter { $0 != shown }
      return .shaped(.array(states.map { .bytes($0) }), .states)
    default: return value(of: rows, at: target)?.node
    }
  }
}

extension Document.FieldRows {
  /// The values that are bytes.
  var states: [[UInt8]] {
    candidates.compactMap { candidate in
      if case .bytes(let bytes)? = candidate.content.value { bytes } else { nil }
    }
  }
}

extension CodableNode {
  /// The type of the state at a path, if there is one.
  fileprivate func stateType(at path: ArraySlice<String>) -> (any BytesCodable.Type)? {
    guard let name = path.first else {
      if case .shaped(.bytes, .state(let type)) = self { return type }
      return nil
    }
    return fields.first { $0.key == name }?.node.stateType(at: path.dropFirst())
  }
}

extension Document.Editor {
  /// Applies a change that assigns a state to a merged field, and returns its path if the
  /// state adds anything.
  ///
  /// Returns `nil` if the change is of another kind.
  mutating func writeState(
    of change: Document.FieldChange, from model: CodableNode, to record: String,
    in collection: String
  ) -> [FieldPath]? {
    guard case .assign(.bytes(let bytes), _) = change.change,
      schema.collections[collection]?.rule(of: change.path) == .merged,
      let type = model.stateType(at: change.path.names[...])
    else { return nil }
    let target = open(change.path, of: record, in: collection)
    return writeState(bytes, of: type, to: target) ? [change.path] : []
  }

  /// Writes the merge of a state and the existing ones, and returns whether it adds
  /// anything.
  mutating func writeState(
    _ bytes: [UInt8], of type: any BytesCodable.Type, to target: Target
  ) -> Bool {
    let rows = rows(of: target)
    let states = rows.states
    guard let merged = type.merged(states + [bytes]) else {
      return assignValue(.bytes(bytes), to: target, isForced: false)
    }
    // If a model has only what was read, leave the rows as they are.
    let isOther = states.count < rows.candidates.count || rows.counter?.isRunning == true
    if !isOther, merged.isWhole, type.merged(states)?.bytes == merged.bytes { return false }
    return assignValue(.bytes(merged.bytes), to: target, isForced: true)
  }
}
