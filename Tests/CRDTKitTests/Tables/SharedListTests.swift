import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A list in chunks does what an array does, and its copies keep apart.
@Suite("Shared lists")
struct SharedListTests {
  @Test("random changes on copies, as on arrays")
  func changes() {
    for seed in 0..<12 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var lists = [SharedList<Int>()]
      var arrays: [[Int]] = [[]]
      for step in 0..<60 {
        let place = Int.random(in: 0..<lists.count, using: &random)
        var (list, array) = (lists[place], arrays[place])
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
          for _ in 0..<Int.random(in: 1...70, using: &random) {
            list.append(step)
            array.append(step)
          }
        case 2 where !array.isEmpty:
          let changed = Int.random(in: 0..<array.count, using: &random)
          list[changed] = -step
          array[changed] = -step
        case 3 where !array.isEmpty:
          let removed = Int.random(in: 0..<array.count, using: &random)
          #expect(list.remove(at: removed) == array.remove(at: removed))
        case 4:
          let start = Int.random(in: 0...array.count, using: &random)
          let end = Int.random(in: start...array.count, using: &random)
          let new = Array(repeating: step, count: Int.random(in: 0...40, using: &random))
          list.replaceSubrange(start..<end, with: new)
          array.replaceSubrange(start..<end, with: new)
        default:
          list.removeAll { $0 % 7 == 0 }
          array.removeAll { $0 % 7 == 0 }
        }
        if lists.count < 4 {
          lists.append(list)
          arrays.append(array)
        } else {
          lists[place] = list
          arrays[place] = array
        }
        for (list, array) in zip(lists, arrays) {
          #expect(list.count == array.count && Array(list) == array, "seed \(seed), step \(step)")
        }
      }
    }
  }
}
