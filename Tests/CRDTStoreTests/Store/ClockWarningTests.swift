import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Synchronization
import Testing

/// What a store says of a clock that may be wrong, and of one that isn't.
@Suite("A store's clock that is odd")
struct ClockWarningTests {
  private static let day: UInt64 = 86_400_000

  /// The two clocks of a machine: time passes on both, and one of them can be set.
  private final class Machine: WallClock, MonotonicClock {
    private let state = Guarded((wall: UInt64(1_700_000_000_000), elapsed: Duration.zero))

    var milliseconds: UInt64 { state.withLock { $0.wall } }
    var elapsed: Duration { state.withLock { $0.elapsed } }
    func sleep(until moment: Duration) async throws(CancellationError) {}

    func pass(_ milliseconds: UInt64) {
      state.withLock { state in
        state.wall += milliseconds
        state.elapsed += .milliseconds(Int64(milliseconds))
      }
    }

    func set(_ milliseconds: UInt64) { state.withLock { $0.wall = milliseconds } }
  }

  private let files = SimulatedFileSystem()
  private let machine = Machine()
  private let logger = RecordingLogger()
  private let events = Guarded<[Store.Event]>([])

  private func open(_ access: Store.Options.Access = .readWrite) throws -> Store {
    var options = TestStores(files).options
    options.clock = machine
    options.monotonicClock = machine
    options.logger = logger
    options.access = access
    options.onEvent = { [events] event in events.withLock { $0.append(event) } }
    return try Store.open(at: "/s", options: options)
  }

  /// How many warnings were told, once no more come for those that are expected.
  private func told(atLeast count: Int) async -> Int {
    _ = await Scenario.until { events.withLock { $0.count } >= count }
    return events.withLock { events in
      events.count { event in
        switch event {
        case .clockJumped, .stampsAhead: true
        default: false
        }
      }
    }
  }

  @Test("A jump while the store is open is told once, with how far it went")
  func jumpWhileOpen() async throws {
    let store = try open()
    try store.put(1)
    machine.pass(60_000)
    try store.put(2)
    #expect(store.clockWarning == nil)
    machine.set(machine.milliseconds + 10 * Self.day)
    try store.put(3)
    try store.put(4)
    machine.pass(3_600_000)
    try store.put(5)
    #expect(store.clockWarning == .jumped(by: .seconds(10 * 86_400)))
    #expect(await told(atLeast: 1) == 1)
    #expect(logger.events.map(\.name) == ["clock.jumped"])
    #expect(logger.events.first?.fields["seconds"] == .integer(864_000))
    // Another one is told again.
    machine.set(machine.milliseconds + 400_000)
    try store.put(6)
    #expect(store.clockWarning == .jumped(by: .seconds(400)))
    #expect(await told(atLeast: 2) == 2)
    try await store.close()
  }

  @Test("A clock that goes as it should is never told of, however long nobody writes")
  func noFalseAlarm() async throws {
    var store = try open()
    for span in [1, 60_000, 90 * Self.day, 500 * Self.day, 10] {
      // The store is open, and the app isn't used.
      machine.pass(span)
      try store.put(.int(Int64(span)))
    }
    for span in [Self.day, 31 * Self.day, 180 * Self.day] {
      // The app isn't running.
      try await store.close()
      machine.pass(span)
      store = try open()
      try store.put(.int(Int64(span)))
    }
    // Steps within the limit, as a clock is set by a server.
    for step in [299_000, -299_000, 250_000, -250_000] as [Int64] {
      machine.set(UInt64(Int64(machine.milliseconds) + step))
      try store.put(.int(step))
      machine.pass(1_000)
    }
    #expect(store.clockWarning == nil)
    #expect(logger.events.isEmpty)
    try await store.close()
    #expect(await told(atLeast: 0) == 0)
  }

  @Test("A clock that jumps again after all was written anew is told of again")
  func jumpAfterRestamping() throws {
    let store = try open()
    let right = machine.milliseconds
    try store.put(1)
    for round in 2...4 as ClosedRange<Int64> {
      machine.set(right + 64 * Self.day)
      try store.put(.int(round))
      #expect(store.clockWarning == .jumped(by: .seconds(64 * 86_400)))
      machine.set(right)
      try store.restampFutureWrites()
      #expect(store.clockWarning == nil)
    }
    try store.close()
  }

  @Test("A store that was closed for longer than expected is told of when it is opened")
  func absence() throws {
    var store = try open()
    try store.put(1)
    try store.close()
    machine.pass(3_653 * Self.day)
    store = try open()
    #expect(store.clockWarning == .jumped(by: .seconds(3_653 * 86_400)))
    try store.put(2)
    try store.close()
    // It is known from then on.
    store = try open()
    #expect(store.clockWarning == nil)
    try store.close()
  }

  @Test("A new store has nothing that a clock could be ahead of")
  func newStore() throws {
    machine.set(4_000_000_000_000)
    let store = try open()
    try store.put(1)
    #expect(store.clockWarning == nil)
    try store.close()
  }

  @Test("Stamps that are ahead of the clock are told of when it is set right, until they aren't")
  func stampsAhead() async throws {
    let store = try open()
    let right = machine.milliseconds
    machine.set(right + 2 * Self.day)
    try store.put(1)
    #expect(store.clockWarning == .jumped(by: .seconds(2 * 86_400)))
    machine.set(right)
    try store.put(2)
    try store.put(3)
    #expect(store.clockWarning == .stampsAhead(by: .seconds(2 * 86_400)))
    #expect(await told(atLeast: 2) == 2)
    try await store.close()
    let again = try open()
    #expect(again.clockWarning == .stampsAhead(by: .seconds(2 * 86_400)))
    try await again.close()
    let reader = try open(.readOnly)
    #expect(reader.clockWarning == .stampsAhead(by: .seconds(2 * 86_400)))
    try await reader.close()
    machine.pass(3 * Self.day)
    let later = try open()
    #expect(later.clockWarning == nil)
    try later.put(4)
    #expect(later.clockWarning == nil)
    try await later.close()
  }

  @Test("A machine that starts without a clock and sets it then is told of once")
  func clockSetAfterStart() async throws {
    var store = try open()
    try store.put(1)
    try await store.close()
    let right = machine.milliseconds
    machine.set(1_000)
    store = try open()
    guard case .stampsAhead? = store.clockWarning else {
      Issue.record("\(String(describing: store.clockWarning))")
      return
    }
    machine.set(right + 20 * Self.day)
    try store.put(2)
    try store.put(3)
    #expect(await told(atLeast: 1) == 1)
    #expect(logger.events.map(\.name) == ["clock.stamps_ahead"])
    try await store.close()
  }
}
