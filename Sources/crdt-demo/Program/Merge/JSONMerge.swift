import CRDTKit
import Toolkit

/// Three versions of a JSON file made one.
struct JSONMerge {
  /// The merged file.
  var text: [UInt8]
  /// What the rules could not decide; the text shows ours there.
  var conflicts: [Document.ThreeWayConflict]

  /// Merges; without a base, both sides began with nothing.
  init(
    base: JSONSide?, ours: JSONSide, theirs: JSONSide,
    rules: Schema.Collection = Schema.Collection(), deletion: Schema.DeletionRule? = nil
  ) {
    let values = [base?.value, ours.value, theirs.value].compactMap { $0 }
    let merge = ThreeWayMerge(
      base: base?.value, ours: ours.value, theirs: theirs.value,
      rules: Self.withoutOrder(rules, in: values), deletion: deletion)
    conflicts = merge.conflicts
    if let base, base.text.bytes == ours.text.bytes {
      // Their layout too, where nothing of ours stands against it.
      text = theirs.text.bytes
    } else {
      text = JSONComposer.text(
        of: merge.value ?? ours.value, base: base, ours: ours, theirs: theirs)
    }
  }

  /// The rules, but for fields with a number that no `Int64` or `Double` holds: it
  /// has no place in the order of values, so `max` and `min` can't decide there.
  private static func withoutOrder(
    _ rules: Schema.Collection, in values: [Document.Value]
  ) -> Schema.Collection {
    guard rules.fields.values.contains(where: { $0 == .max || $0 == .min }) else { return rules }
    var fields = rules.fields
    func visit(_ value: Document.Value, at names: [String]) {
      if case .object(let members) = value {
        for (name, member) in members { visit(member, at: names + [name]) }
      } else if value.holdsBytes {
        let path = FieldPath(names)
        let rule = rules.rule(of: path)
        if rule == .max || rule == .min { fields[path] = .manual }
      }
    }
    for value in values { visit(value, at: []) }
    return Schema.Collection(fields: fields, deletion: rules.deletion)
  }
}

extension Document.Value {
  /// Whether the value is, or has inside, bytes.
  fileprivate var holdsBytes: Bool {
    switch self {
    case .bytes: true
    case .array(let values): values.contains(where: \.holdsBytes)
    case .object(let fields): fields.values.contains(where: \.holdsBytes)
    default: false
    }
  }
}

/// A value of one of the versions: where it is written, and what it is.
struct JSONSide {
  var text: JSONText
  var node: JSONNode
  var value: Document.Value

  /// The whole of a text.
  init(_ text: JSONText) throws(JSONFailure) {
    self.init(text: text, node: text.root, value: try text.value(numbers: .exact))
  }

  init(text: JSONText, node: JSONNode, value: Document.Value) {
    self.text = text
    self.node = node
    self.value = value
  }

  /// The value as it is written.
  var bytes: ArraySlice<UInt8> { text.bytes(of: node) }

  /// The places of an object's members by their names; none of anything else.
  var places: [String: Int] {
    let names = (node.members ?? []).enumerated().map { ($1.name, $0) }
    return Dictionary(names, uniquingKeysWith: { first, _ in first })
  }

  /// The value of a member.
  func member(_ place: Int) -> JSONSide? {
    guard let member = node.members?[place], case .object(let fields) = value,
      let field = fields[member.name]
    else { return nil }
    return JSONSide(text: text, node: member.value, value: field)
  }

  /// An element of an array.
  func element(_ place: Int) -> JSONSide? {
    guard let elements = node.elements, elements.indices.contains(place),
      case .array(let values) = value, values.indices.contains(place)
    else { return nil }
    return JSONSide(text: text, node: elements[place], value: values[place])
  }

  /// A member's name as it is written.
  func name(_ place: Int) -> ArraySlice<UInt8> {
    node.members.map { text.bytes[$0[place].nameRange] } ?? []
  }
}
