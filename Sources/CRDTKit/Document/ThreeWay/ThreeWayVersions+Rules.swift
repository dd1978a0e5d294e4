extension ThreeWayVersions {
  /// The base and both differences.
  ///
  /// `nil` unless all are whole numbers, and so is what comes of them. Where
  /// nothing was, counting began at 0.
  var sum: Int64? {
    guard case .int(let ours) = ours, case .int(let theirs) = theirs else { return nil }
    var start: Int64 = 0
    switch base {
    case nil, .null: break
    case .int(let value): start = value
    default: return nil
    }
    return Int64(exactly: Int128(ours) + Int128(theirs) - Int128(start))
  }

  /// What either side has, without what either removed.
  ///
  /// `nil` unless all are arrays. Each element once: ours in their order, then
  /// what they added.
  var union: [Document.Value]? {
    guard case .array(let ours) = ours, case .array(let theirs) = theirs else { return nil }
    var old: Set<Document.Value> = []
    switch base {
    case nil, .null: break
    case .array(let elements): old = Set(elements)
    default: return nil
    }
    let removed = old.subtracting(theirs)
    var seen = removed
    var union = ours.filter { seen.insert($0).inserted }
    // Of what they have, what was there before is ours to keep or remove.
    seen.formUnion(old)
    union += theirs.filter { seen.insert($0).inserted }
    return union
  }
}

extension Document.Value {
  /// Whether the value is an object.
  var isObject: Bool {
    if case .object = self { true } else { false }
  }

  /// Whether the value is another one, or an object that lacks something of it and
  /// has nothing else.
  func isPart(of whole: Document.Value, depthLeft: Int) -> Bool {
    guard depthLeft > 0, case .object(let fields) = self, case .object(let all) = whole else {
      return self == whole
    }
    return fields.allSatisfy { name, value in
      all[name].map { value.isPart(of: $0, depthLeft: depthLeft - 1) } ?? false
    }
  }
}
