import Toolkit

/// Reads the members of a JSON object one by one, and rejects the remaining ones.
struct ScenarioReader {
  private let text: JSONText
  private let object: JSONNode
  private var rest: [JSONMember]

  init(_ text: JSONText, _ node: JSONNode) throws(JSONFailure) {
    self.text = text
    object = node
    guard let members = node.members else {
      throw text.failure("an object is expected here", at: node.range)
    }
    rest = members
  }

  private mutating func take(_ name: String) -> JSONNode? {
    guard let place = rest.firstIndex(where: { $0.name == name }) else { return nil }
    return rest.remove(at: place).value
  }

  private func failure(_ name: String, _ wanted: String, _ node: JSONNode) -> JSONFailure {
    text.failure("'\(name)' must be \(wanted)", at: node.range)
  }

  /// A whole number within bounds.
  mutating func integer(
    _ name: String, in range: ClosedRange<Int>, _ value: inout Int
  ) throws(JSONFailure) {
    guard let node = take(name) else { return }
    guard case .number = node.content,
      let number = JSONNumber(text.bytes(of: node)).integer.flatMap({ Int(exactly: $0) }),
      range.contains(number)
    else {
      throw failure(name, "a whole number from \(range.lowerBound) to \(range.upperBound)", node)
    }
    value = number
  }

  /// A number within bounds.
  mutating func number(
    _ name: String, in range: ClosedRange<Double>, _ value: inout Double
  ) throws(JSONFailure) {
    guard let node = take(name) else { return }
    guard case .number = node.content, let number = JSONNumber(text.bytes(of: node)).nearest,
      range.contains(number)
    else {
      let bounds = [range.lowerBound, range.upperBound].map(OptionValue.short)
      throw failure(name, "a number from \(bounds[0]) to \(bounds[1])", node)
    }
    value = number
  }

  /// A probability, if present.
  mutating func chance(_ name: String) throws(JSONFailure) -> Double? {
    var value = -1.0
    try number(name, in: 0...1, &value)
    return value < 0 ? nil : value
  }

  /// A replica, if present.
  mutating func place(_ name: String) throws(JSONFailure) -> Int? {
    var value = -1
    try integer(name, in: 0...Scenario.maximumReplicas - 1, &value)
    return value < 0 ? nil : value
  }

  /// Two replicas, if present.
  mutating func pair(_ name: String) throws(JSONFailure) -> (Int, Int)? {
    guard let node = take(name) else { return nil }
    let places = try places(node, name)
    guard places.count == 2 else { throw failure(name, "two replicas", node) }
    return (places[0], places[1])
  }

  /// The error of the object as a whole.
  func refusal(_ problem: String) -> JSONFailure {
    text.failure(problem, at: object.range)
  }

  /// Milliseconds within bounds, as microseconds.
  mutating func milliseconds(
    _ name: String, upTo most: Double, _ microseconds: inout Int
  ) throws(JSONFailure) {
    var value = Double(microseconds) / 1_000
    try number(name, in: 0...most, &value)
    microseconds = Int((value * 1_000).rounded())
  }

  mutating func seed(_ name: String, _ value: inout UInt64) throws(JSONFailure) {
    guard let node = take(name) else { return }
    guard case .number = node.content,
      let number = UInt64(JSONNumber(text.bytes(of: node)).literal)
    else { throw failure(name, "a whole number from 0 to \(UInt64.max)", node) }
    value = number
  }

  /// A field of the scenario.
  mutating func read(
    _ field: ScenarioField, into scenario: inout Scenario
  ) throws(JSONFailure) {
    let name = field.name
    switch field.kind {
    case .integer(let range, let path): try integer(name, in: range, &scenario[keyPath: path])
    case .number(let range, let path): try number(name, in: range, &scenario[keyPath: path])
    case .chance(let path): scenario[keyPath: path] = try chance(name)
    case .milliseconds(let path):
      try milliseconds(name, upTo: 1e6, &scenario[keyPath: path])
    case .seed(let path): try seed(name, &scenario[keyPath: path])
    case .text(let wanted, let set, _):
      guard let node = take(name) else { return }
      if name == "topology", case .array(let links) = node.content {
        scenario.topology = .edges(try edges(links, of: node))
        return
      }
      guard case .string = node.content, set(&scenario, text.string(of: node)) != nil else {
        throw failure(
          name, wanted + (name == "topology" ? ", or an array of links" : ""), node)
      }
    }
  }

  /// One of the cases, by name.
  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: inout Choice
  ) throws(JSONFailure) {
    guard let node = take(name) else { return }
    guard case .string = node.content, let choice = Choice(rawValue: text.string(of: node)) else {
      let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw failure(name, "one of \(names)", node)
    }
    value = choice
  }

  /// The links of a topology, each an array of two replicas.
  private func edges(
    _ links: [JSONNode], of node: JSONNode
  ) throws(JSONFailure) -> [Topology.Edge] {
    let name = "topology"
    guard links.count <= Topology.edgesMax else { throw failure(name, "a shorter array", node) }
    var edges: [Topology.Edge] = []
    for link in links {
      let ends = try places(link, name)
      guard ends.count == 2 else { throw failure(name, "links of two replicas each", link) }
      edges.append(Topology.Edge(one: ends[0], other: ends[1]))
    }
    return edges
  }

  /// An array of arrays of replicas.
  mutating func groups(_ name: String) throws(JSONFailure) -> [[Int]] {
    guard let node = take(name) else { return [] }
    guard let elements = node.elements, elements.count <= Scenario.maximumReplicas else {
      throw failure(name, "an array of groups of replicas", node)
    }
    var groups: [[Int]] = []
    for element in elements { groups.append(try places(element, name)) }
    return groups
  }

  private func places(_ node: JSONNode, _ name: String) throws(JSONFailure) -> [Int] {
    guard let elements = node.elements, elements.count <= Scenario.maximumReplicas else {
      throw failure(name, "made of arrays of replicas", node)
    }
    var places: [Int] = []
    for element in elements {
      guard case .number = element.content,
        let place = JSONNumber(text.bytes(of: element)).integer,
        (0..<Int64(Scenario.maximumReplicas)).contains(place)
      else { throw failure(name, "made of replicas, counted from 0", element) }
      places.append(Int(place))
    }
    return places
  }

  /// The object of a member, if there is one.
  mutating func object(_ name: String) throws(JSONFailure) -> ScenarioReader? {
    guard let node = take(name) else { return nil }
    return try ScenarioReader(text, node)
  }

  /// The objects of a member that is an array of at most a thousand.
  mutating func objects(_ name: String) throws(JSONFailure) -> [ScenarioReader] {
    guard let node = take(name) else { return [] }
    guard let elements = node.elements, elements.count <= 1_000 else {
      throw failure(name, "an array of at most 1000 objects", node)
    }
    var readers: [ScenarioReader] = []
    for element in elements { readers.append(try ScenarioReader(text, element)) }
    return readers
  }

  /// Throws if unknown members are left.
  func finish() throws(JSONFailure) {
    guard let member = rest.first else { return }
    throw text.failure("there is no field '\(member.name)' here", at: member.nameRange)
  }
}
