/// Something that happened in a scenario: a name, and what is to be known of it, the same
/// on every platform.
struct ScenarioEvent {
  var name: String
  var fields: [(name: String, value: JSONValue)]

  /// The event as one JSON object on one line.
  var json: String { JSONValue.object([("event", .string(name))] + fields).description }

  /// The event as people read it: its name, and `name=value` for each field.
  var text: String {
    let width = 8
    let padding = String(repeating: " ", count: max(0, width - name.count))
    let words = fields.map { "\($0.name)=\($0.value)" }
    return words.isEmpty ? name : "\(name)\(padding) \(words.joined(separator: " "))"
  }
}
