import CRDTKit

extension ReferenceServer.Stored {
  /// Does what an operation says, or says which field can't be changed so.
  mutating func apply(_ operation: OperationEnvelope) -> FieldIssue? {
    switch operation.kind {
    case .delete:
      isDeleted = true
      return nil
    case .create: if isDeleted { fields = [:] }
    case .update: break
    }
    isDeleted = false
    for change in operation.changes {
      if let issue = apply(change) { return issue }
    }
    return nil
  }

  private mutating func apply(_ change: Document.FieldChange) -> FieldIssue? {
    var value: Document.Value? = .object(fields)
    let problem = Self.change(&value, at: change.path.names[...], by: change.change)
    if let problem { return FieldIssue(change.path, problem) }
    if case .object(let fields)? = value { self.fields = fields }
    return nil
  }

  private static func change(
    _ value: inout Document.Value?, at path: ArraySlice<String>,
    by change: Document.FieldChange.Kind
  ) -> String? {
    guard let name = path.first else { return Self.change(&value, by: change) }
    var fields: [String: Document.Value] = [:]
    if case .object(let old)? = value { fields = old }
    var field = fields[name]
    if let problem = Self.change(&field, at: path.dropFirst(), by: change) { return problem }
    fields[name] = field
    value = .object(fields)
    return nil
  }

  private static func change(
    _ value: inout Document.Value?, by change: Document.FieldChange.Kind
  ) -> String? {
    switch change {
    case .assign(let new, _): value = new
    case .remove: value = nil
    case .increment(let amount):
      var count: Int64 = 0
      if case .int(let old)? = value { count = old }
      let (sum, overflows) = count.addingReportingOverflow(amount)
      if overflows { return "the number is too great" }
      value = .int(sum)
    case .insert(let elements): value = .array(Self.sorted(elements, joining: value))
    case .take(let elements):
      value = .array(Self.sorted([], joining: value).filter { !elements.contains($0) })
    }
    return nil
  }

  private static func sorted(
    _ elements: [Document.Value], joining value: Document.Value?
  ) -> [Document.Value] {
    var all = Set(elements)
    if case .array(let old)? = value { all.formUnion(old) }
    return all.sorted()
  }
}
