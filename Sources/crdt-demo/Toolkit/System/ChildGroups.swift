import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

/// The process groups that this process has started, which end with it.
///
/// The handler of a signal goes through them, so they are numbers at places that never
/// move.
package enum ChildGroups {
  /// The greatest number of groups; further ones must detect the end by themselves.
  private static let countMax = 1_024
  /// How long they may take to end by themselves.
  private static let patienceMilliseconds: Int32 = 200

  /// Set up before the first group is started; 0 is a free place.
  private nonisolated(unsafe) static let places: UnsafeMutablePointer<Atomic<Int32>> = {
    let places = UnsafeMutablePointer<Atomic<Int32>>.allocate(capacity: countMax)
    for place in 0..<countMax { (places + place).initialize(to: Atomic(0)) }
    for ending in [SIGTERM, SIGHUP, SIGINT] { handle(ending) }
    return places
  }()

  /// How many places were ever taken; before that there is nothing at ``places``.
  private static let count = Atomic(0)

  /// Registers a group to end with this process.
  package static func add(_ group: Int32) {
    // Made now: a handler must not be what makes it.
    _ = count.load(ordering: .relaxed)
    for place in 0..<countMax {
      let isFree = places[place].compareExchange(
        expected: 0, desired: group, ordering: .sequentiallyConsistent
      ).exchanged
      guard isFree else { continue }
      count.max(place + 1, ordering: .sequentiallyConsistent)
      return
    }
  }

  /// Forgets a group whose first process has ended but is not reaped, and asks what that
  /// has left running to end.
  package static func remove(_ group: Int32) {
    for place in 0..<count.load(ordering: .sequentiallyConsistent)
    where places[place].load(ordering: .sequentiallyConsistent) == group {
      Syscalls.send(SIGTERM, to: -group)
      Syscalls.send(SIGCONT, to: -group)
      places[place].store(0, ordering: .sequentiallyConsistent)
    }
  }

  /// Ends all groups.
  package static func endAll() {
    let count = count.load(ordering: .sequentiallyConsistent)
    guard count > 0, send(SIGTERM, toAllOf: count) else { return }
    _ = send(SIGCONT, toAllOf: count)
    poll(nil, 0, patienceMilliseconds)
    _ = send(SIGKILL, toAllOf: count)
  }

  /// Ends a group whose first process has not been reaped.
  package static func end(_ group: Int32) {
    Syscalls.send(SIGTERM, to: -group)
    Syscalls.send(SIGCONT, to: -group)
    poll(nil, 0, patienceMilliseconds)
    Syscalls.send(SIGKILL, to: -group)
  }

  /// Returns whether there was any.
  private static func send(_ signal: Int32, toAllOf count: Int) -> Bool {
    var isAny = false
    for place in 0..<count {
      let group = places[place].load(ordering: .sequentiallyConsistent)
      guard group > 0 else { continue }
      Syscalls.send(signal, to: -group)
      isAny = true
    }
    return isAny
  }

  /// Has a signal end the groups, and then this process, unless something else is to be
  /// done about it already: as under `nohup`.
  private static func handle(_ ending: Int32) {
    let before = signal(ending) { number in
      ChildGroups.endAll()
      signal(number, SIG_DFL)
      Syscalls.send(number, to: getpid())
    }
    // What is usual has the address 0.
    if unsafeBitCast(before, to: Int.self) != 0 { signal(ending, before) }
  }
}
