package import CRDTKit
package import CRDTStoreTesting

/// ``LWWRegister`` in maps: payloads in the model are times and values.
package enum LastWriterShape: Shape {
  package typealias Value = LWWRegister<Int>

  package static var fewOperations: [Operation] { [.set(1, at: 1), .set(2, at: 1)] }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    .set(
      Int.random(in: 0..<50, using: &random), at: Int.random(in: 0..<20, using: &random))
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    guard case .set(let number, let time) = operation else { return }
    let stamp = HybridTimestamp(milliseconds: UInt64(time), replica: editor.replica)
    editor.set(number, at: stamp)
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    guard case .set(let number, let time) = operation else { return }
    let payload = time * 100 + number
    if let winner = winner(of: model, under: path),
      (winner.payload / 100, winner.dot.replica, winner.payload) > (time, replica, payload)
    {
      return
    }
    model.write(payload, at: path, by: replica, killing: model.dots(at: path))
  }

  package static func reading(of value: Value) -> String {
    "\(value.value) at \(value.timestamp.milliseconds) by \(value.timestamp.replica)"
  }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    guard let winner = winner(of: model, under: path) else { return "-" }
    return "\(winner.payload % 100) at \(winner.payload / 100) by \(winner.dot.replica)"
  }

  private static func winner(
    of model: ReferenceTable, under path: [String]
  ) -> (dot: Dot, payload: Int)? {
    model.dots(at: path).map { ($0, model.rows[$0]?.payload ?? 0) }
      .max { ($0.1 / 100, $0.0.replica, $0.1) < ($1.1 / 100, $1.0.replica, $1.1) }
  }
}
