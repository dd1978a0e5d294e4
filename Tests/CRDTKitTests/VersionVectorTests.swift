import CRDTKit
import Testing

@Suite("Version vectors")
struct VersionVectorTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  @Test("order by what they contain")
  func order() {
    let older: VersionVector = [phone: 1]
    let newer: VersionVector = [phone: 2, laptop: 1]
    let other: VersionVector = [laptop: 3]
    #expect(older.compared(to: newer) == .before)
    #expect(newer.compared(to: older) == .after)
    #expect(newer.compared(to: other) == .concurrent)
    #expect(older.compared(to: older) == .equal)
    #expect(newer.merging(other) == [phone: 2, laptop: 3])
    #expect(older.missing(from: newer) == newer)
  }
}
