import CRDTKit

/// Two states that were changed apart, kept as bytes: whoever decodes them has
/// storage of his own, shared with nobody, and nothing built ahead.
struct Fork<State: Mergeable & BinaryCodable> {
  let left: [UInt8]
  let right: [UInt8]

  /// Creates the states of a shape.
  init(
    _ shape: Shape, from empty: State,
    insert: (inout State, Int, ReplicaID) -> Void,
    remove: (inout State, Int, ReplicaID) -> Void = { _, _, _ in }
  ) throws {
    var common = empty
    for number in shape.common { insert(&common, number, .author) }
    let bytes = common.encoded()

    func state(by replica: ReplicaID, removed: Set<Int>, added: [Int]) throws -> [UInt8] {
      var state = try State(decoding: bytes)
      for number in shape.common where removed.contains(number) { remove(&state, number, replica) }
      for number in added { insert(&state, number, replica) }
      return state.encoded()
    }
    left = try state(by: .left, removed: shape.leftRemoved, added: shape.leftAdded)
    right = try state(by: .right, removed: shape.rightRemoved, added: shape.rightAdded)
  }

  /// The merge of the right state into the left.
  func merge(outcome: ((State) -> Int)? = nil) -> Workload {
    Workload(
      prepare: { (left: try State(decoding: left), right: try State(decoding: right)) },
      run: { $0.left.merge($0.right) },
      outcome: outcome.map { outcome in { outcome($0.left) } }
    )
  }
}

extension ReplicaID {
  /// Who wrote what both sides know.
  static let author = ReplicaID(0x5EED_0000_0000_0001)
  static let left = ReplicaID(0x5EED_0000_0000_0002)
  static let right = ReplicaID(0x5EED_0000_0000_0003)
}
