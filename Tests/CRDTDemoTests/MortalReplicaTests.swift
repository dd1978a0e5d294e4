import CRDTKit
import Testing

@testable import CRDTSimulator
@testable import Toolkit

@Suite("A replica whose process is killed")
struct MortalReplicaTests {
  private let me = SharedDocument.replica(0)
  private let other = SharedDocument.replica(1)

  private func account(_ operations: Int) -> ReplicaAccount {
    ReplicaAccount(
      counts: ReplicaCounts(operations: operations), added: [operations, 0], entriesMade: 1)
  }

  private func holdings(_ operations: Int, _ version: VersionVector) -> ReplicaHoldings {
    ReplicaHoldings(account: account(operations), version: version)
  }

  @Test("goes on from what it acknowledged, or from what it had begun, by its store")
  func resumption() throws {
    var settings = StoreSettings(path: "d")
    settings.acknowledged = holdings(7, [me: 9, other: 2])
    settings.intended = account(8)
    #expect(try settings.account(of: me, holding: [me: 9, other: 2]).counts.operations == 7)
    #expect(try settings.account(of: me, holding: [me: 9, other: 5]).counts.operations == 7)
    #expect(try settings.account(of: me, holding: [me: 10, other: 2]).counts.operations == 8)
    // What was lost stays acknowledged, so that it is missed in the end.
    #expect(try settings.account(of: me, holding: [me: 3]).counts.operations == 7)
    settings.intended = nil
    #expect(throws: CommandFailure.self) { try settings.account(of: me, holding: [me: 10]) }
  }

  @Test("has lost what it acknowledged and its store lacks, of all replicas' changes")
  func losses() {
    var mortal = MortalReplica()
    let isTold = [.awake, .intends(account(1)), .holds(holdings(1, [me: 4, other: 6]))].map {
      mortal.take($0)
    }
    #expect(isTold == [true, true, true])
    let isTaken = mortal.take(.round(messages: [], operationsMade: 1))
    #expect(!isTaken)
    #expect(mortal.lost == 0 && mortal.intended == account(1))
    // A second process finds all, and more; a third lacks some of both.
    mortal.isOpening = true
    mortal.take(.holds(holdings(1, [me: 5, other: 6])))
    #expect(mortal.lost == 0 && mortal.intended == nil)
    mortal.isOpening = true
    mortal.take(.holds(holdings(1, [me: 3, other: 5])))
    #expect(mortal.lost == 3)
    // What is lost is counted once.
    mortal.isOpening = true
    mortal.take(.holds(holdings(1, [me: 3, other: 5])))
    #expect(mortal.lost == 3)
    #expect(mortal.acknowledged.eventsMissing(in: [:]) == 8)
  }

  @Test("is told of its store in the first order, and tells of it")
  func coding() throws {
    var settings = ReplicaSettings(
      index: 0, replicas: 2, neighbours: [1], seed: 1, patienceMilliseconds: 9, sabotage: nil)
    for intended in [nil, account(3)] {
      settings.store = StoreSettings(
        path: "a b", isMortal: true, deaths: 3, acknowledged: holdings(2, [me: 4, other: 1]),
        intended: intended)
      let order = Order.start(settings)
      #expect(try Order(body: Array(order.frame.dropFirst(4))) == order)
    }
    for reply in [.awake, .intends(account(5)), .holds(holdings(5, [other: 9]))] as [Reply] {
      let body = Array(reply.frame.dropFirst(4))
      #expect(try Reply(body: body) == reply)
      for length in 0..<body.count { #expect((try? Reply(body: Array(body[..<length]))) == nil) }
    }
  }
}
