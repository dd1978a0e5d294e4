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
