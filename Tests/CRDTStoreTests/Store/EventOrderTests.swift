import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("Events")
struct EventOrderTests {
  @Test("are told one after another, in the order in which they happened")
  func order() async throws {
    let teller = EventTeller()
    let told = Locked<[Int]>([])
    let atOnce = Locked((now: 0, most: 0))
    for number in 0..<2_000 {
      teller.tell {
        atOnce.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        told.withLock { $0.append(number) }
        // An event may lead to another.
        if number == 1_000 { teller.tell { told.withLock { $0.append(-1) } } }
        atOnce.withLock { $0.now -= 1 }
      }
    }
    for _ in 0..<1_000 where told.withLock({ $0.count }) <= 2_000 {
      try await Task.sleep(for: .milliseconds(5))
    }
    let order = told.withLock { $0 }
    #expect(order.filter { $0 >= 0 } == Array(0..<2_000))
    #expect(order.count == 2_001 && order.contains(-1))
    #expect(atOnce.withLock { $0.most } == 1)
  }
}
