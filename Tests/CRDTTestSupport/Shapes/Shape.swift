package import CRDTKit
package import CRDTStoreTesting

/// A replicated type as schedules see it: what can be done to it, what the plain
/// model makes of that, and how both read.
package protocol Shape: SendableMetatype {
  associatedtype Value: MapValue

  /// The few operations that matter, for trying out all there is.
  static var fewOperations: [Operation] { get }
  static func operation(using random: inout SeededGenerator) -> Operation
  static func perform(_ operation: Operation, in editor: inout Editor<Value>)
  static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID)

  /// Whether a removal must leave a trace beneath each key: it takes an event for
  /// each counter then.
  static var leavesTraces: Bool { get }
  /// Removes what the model has under a path.
  static func removeAll(
    from model: inout ReferenceTable, under path: [String], by replica: ReplicaID)

  /// All that can be asked of the value, in words.
  static func reading(of value: Value) -> String
  /// The same, of what the model has under a path.
  static func reading(of model: ReferenceTable, under path: [String]) -> String
}

/// A shape whose values stand alone.
package protocol RootShape: Shape where Value: TableBacked {
  /// Creates a value that has seen nothing.
  static func make() -> Value
  /// Makes a change without an edit block.
  static func perform(_ operation: Operation, on value: inout Value, by replica: ReplicaID)
}

extension Shape {
  package static var leavesTraces: Bool { false }

  package static func removeAll(
    from model: inout ReferenceTable, under path: [String], by replica: ReplicaID
  ) {
    model.remove(model.dots(under: path), by: replica)
  }
}
