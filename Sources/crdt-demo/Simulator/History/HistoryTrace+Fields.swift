import CRDTKit
import Toolkit

extension HistoryTrace {
  /// A change of a field, from the parts of its line.
  ///
  /// No path may hold a value at one time and fields at another: taking away the
  /// value would then take away fields that were written concurrently.
  package static func fieldChange(
    _ parts: [ArraySlice<UInt8>], isWrite: Bool, among fields: inout FieldTree
  ) throws(Problem) -> Change {
    let path = try fieldPath(parts[1])
    guard fields.addField(path.names) else {
      throw Problem("of two paths, one leads to a value and the other to a field within it")
    }
    guard isWrite else { return .unset(path: path) }
    let value = try json(parts[2], "the value") { text throws(JSONFailure) in
      try text.value(numbers: .exact)
    }
    if case .object = value {
      throw Problem("the value must not be an object: its fields have paths of their own")
    }
    guard path.names.count + value.depth <= Document.Value.maximumDepth else {
      throw Problem("the value is nested deeper than \(Document.Value.maximumDepth) levels")
    }
    return .set(path: path, value: value)
  }

  private static func fieldPath(_ field: ArraySlice<UInt8>) throws(Problem) -> FieldPath {
    guard field.count <= pathLengthMax else {
      throw Problem("the path is longer than \(pathLengthMax) bytes")
    }
    let names: [String]? = try json(field, "the path") { text throws(JSONFailure) in
      var names: [String] = []
      guard let elements = text.root.elements else { return nil }
      for element in elements {
        guard case .string = element.content else { return nil }
        names.append(text.string(of: element))
      }
      return names
    }
    guard let names, !names.isEmpty else {
      throw Problem("the path must be a JSON array of names")
    }
    guard names.count <= Document.Value.maximumDepth else {
      throw Problem("the path has more than \(Document.Value.maximumDepth) names")
    }
    return FieldPath(names)
  }

  /// What is made of a part that is JSON.
  private static func json<Result>(
    _ field: ArraySlice<UInt8>, _ what: String,
    _ read: (JSONText) throws(JSONFailure) -> Result
  ) throws(Problem) -> Result {
    do throws(JSONFailure) {
      return try read(JSONText(parsing: Array(field)))
    } catch {
      throw Problem("\(what) is not read as JSON: \(error.reason)")
    }
  }
}

/// The paths of a trace's fields, to see that none leads through another.
package struct FieldTree {
  private struct Step: Hashable {
    var object: Int
    var name: String
  }

  /// The numbers of objects, by the object they stand in and their name; 0 is the
  /// file.
  private var objects: [Step: Int] = [:]
  private var leaves: Set<Step> = []

  /// Adds a field; says whether it was possible.
  package mutating func addField(_ path: [String]) -> Bool {
    guard let last = path.last else { return false }
    var object = 0
    for name in path.dropLast() {
      let step = Step(object: object, name: name)
      if leaves.contains(step) { return false }
      let next = objects[step] ?? objects.count + 1
      objects[step] = next
      object = next
    }
    let leaf = Step(object: object, name: last)
    if objects[leaf] != nil { return false }
    leaves.insert(leaf)
    return true
  }
}
