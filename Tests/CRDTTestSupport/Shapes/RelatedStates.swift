import CRDTKit
import CRDTStoreTesting

/// Some states that replicas come to from one another, by operations and merges.
package func relatedStates<Root: RootShape>(
  of _: Root.Type, count: Int, stepCount: Int, seed: UInt64
) -> [Root.Value] {
  var random = SeededGenerator(seed: seed)
  var states = Array(repeating: Root.make(), count: count)
  for _ in 0..<stepCount {
    let place = Int.random(in: 0..<count, using: &random)
    if Int.random(in: 0..<4, using: &random) == 0 {
      states[place].merge(states[Int.random(in: 0..<count, using: &random)])
    } else {
      Root.perform(
        Root.operation(using: &random), on: &states[place], by: ReplicaID(UInt64(9 - place)))
    }
  }
  return states
}
