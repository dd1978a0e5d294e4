import CRDTKit

/// Something that no replica would have written by itself, and that a merge has
/// brought about.
public enum RecordViolation: Hashable, Sendable {
  /// A record isn't valid any more, for what its model's `validate()` said.
  case invalid(record: String, reason: String)
  /// Several records have the same value in a field that should be unique.
  case duplicate(field: String, records: [String])
  /// A record's fields are not what its model asks for.
  case unreadable(record: String, reason: String)
}

extension RecordViolation: CustomStringConvertible {
  /// What is wrong, in a sentence.
  public var description: String {
    switch self {
    case .invalid(let record, let reason): "\(record.visible) isn't valid: \(reason.visible)"
    case .duplicate(let field, let records):
      "\(records.map(\.visible).joined(separator: ", ")) have the same \(field.visible)"
    case .unreadable(let record, let reason): "\(record.visible) can't be read: \(reason.visible)"
    }
  }
}

extension Store {
  /// What merges have broken of what a model keeps to: records that are not valid, and
  /// values that should be unique and are not.
  ///
  /// Ask after a merge, and let the user or the server decide.
  ///
  /// - Complexity: O(n log n) for n records.
  public func violations<Model: Replicated>(in type: Model.Type) -> [RecordViolation] {
    let reader = core.reader
    var violations: [RecordViolation] = []
    var holders: [String: [Document.Value: [String]]] = [:]
    for name in reader.names(in: Model.collection).sorted(by: { $0.comes(before: $1) }) {
      let record = Document.RecordID(name, in: Model.collection)
      do {
        guard let model = try reader.model(type, record) else { continue }
        do {
          try model.validate()
        } catch {
          violations.append(.invalid(record: name, reason: "\(error)"))
        }
      } catch {
        violations.append(.unreadable(record: name, reason: "\(error)"))
      }
      for field in Model.rules.unique {
        guard let value = reader.value(of: field, of: record), value != .null else { continue }
        holders[field, default: [:]][value, default: []].append(name)
      }
    }
    for field in Model.rules.unique {
      let duplicates = (holders[field] ?? [:]).values.filter { $0.count > 1 }
      for records in duplicates.sorted(by: { $0[0].comes(before: $1[0]) }) {
        violations.append(.duplicate(field: field, records: records))
      }
    }
    return violations
  }
}
