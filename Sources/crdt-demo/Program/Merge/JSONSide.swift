import CRDTKit
import CRDTSimulator
import Toolkit

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
