import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Authorities and their delegates")
struct AuthorityTests {
  static let server = ReplicaID.authority(named: "server")

  @Test("A name gives the same identifier everywhere")
  func namesAreStable() {
    #expect(Self.server.description == "ff29580000000000")
    #expect(ReplicaID.authority(named: "").description == "ff00000000000000")
    #expect(Self.server == ReplicaID.authority(named: "server"))
    #expect(Self.server != ReplicaID.authority(named: "Server"))
    #expect(Self.server.delegate(for: ReplicaID(1)).description == "ff29580000000001")
  }

  @Test("A delegate writes for its authority, every other replica for itself")
  func principals() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<10_000 {
      let replica = ReplicaID.random(using: &generator)
      #expect(replica.principal == replica)
      #expect(!replica.isDelegate && !replica.isAuthority)
      let delegate = Self.server.delegate(for: replica)
      #expect(delegate.principal == Self.server)
      #expect(delegate.isDelegate && !delegate.isAuthority)
      #expect(delegate == Self.server.delegate(for: replica))
      #expect(delegate.delegate(for: replica) == delegate, "a delegate's authority is asked")
      #expect(ReplicaID(delegate.description) == delegate)
    }
    #expect(Self.server.isAuthority && !Self.server.isDelegate)
    #expect(Self.server.principal == Self.server)
  }

  @Test("Every replica has a delegate of its own, and none is the authority")
  func delegatesDiffer() {
    var generator = SeededGenerator(seed: 12)
    var delegates: Set<ReplicaID> = []
    for number in 0..<1_000 {
      delegates.insert(Self.server.delegate(for: ReplicaID(UInt64(number))))
      delegates.insert(Self.server.delegate(for: ReplicaID.random(using: &generator)))
    }
    #expect(delegates.count == 2_000)
    // What is left of this one after folding is nothing.
    let folded = ReplicaID(1 << 40 | 1)
    #expect(Self.server.delegate(for: folded).isDelegate)
    #expect(Self.server.delegate(for: ReplicaID(0)).isDelegate)
  }

  @Test("Random identifiers are never an authority's, and a seed gives the same ones as ever")
  func randomAvoidsAuthorities() {
    struct Ones: RandomNumberGenerator {
      var draws = 0
      mutating func next() -> UInt64 {
        draws += 1
        return .max
      }
    }
    var ones = Ones()
    let replica = ReplicaID.random(using: &ones)
    #expect(!replica.isAuthority && !replica.isDelegate)
    #expect(ones.draws == 1)
    var generator = SeededGenerator(seed: 13)
    var plain = SeededGenerator(seed: 13)
    for _ in 0..<10_000 {
      let number = plain.next()
      let replica = ReplicaID.random(using: &generator)
      #expect(replica.rawValue >> 56 != 0xFF)
      #expect(replica.rawValue == number || number >> 56 == 0xFF)
    }
  }

  @Test("Asking a plain replica for a delegate is the caller's error")
  func plainReplicasHaveNoDelegates() async {
    await #expect(processExitsWith: .failure) {
      _ = ReplicaID(1).delegate(for: ReplicaID(2))
    }
  }

  @Test("A rule that names an authority means its delegates, and no others")
  func rulesMeanDelegates() {
    let heard = Document.Alternative(
      1, at: DocumentTests.at(1, Self.server.delegate(for: ReplicaID(7))))
    let typed = Document.Alternative(2, at: DocumentTests.at(2, ReplicaID(7)))
    let other = Document.Alternative(
      3, at: DocumentTests.at(3, ReplicaID.authority(named: "shop").delegate(for: ReplicaID(7))))
    for sides in [[heard, typed, other], [other, typed, heard], [typed, heard, other]] {
      #expect(Schema.FieldRule.preferring([Self.server]).winner(among: sides) == heard)
      let clientWins = Schema.FieldRule.preferringOthers(than: [
        Self.server, other.replica.principal,
      ])
      #expect(clientWins.winner(among: sides) == typed)
      #expect(Schema.FieldRule.lastWriterWins.winner(among: sides) == other)
      // One delegate may be named by itself.
      #expect(Schema.FieldRule.preferring([heard.replica]).winner(among: sides) == heard)
    }
  }
}
