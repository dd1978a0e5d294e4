import CRDTStoreTesting
import Toolkit

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Kills writers at random moments, and has other processes look at what is left.
struct KillRounds {
  /// After how many kills another store is begun.
  private static let roundsPerStore = 40

  private let count: Int
  private let seed: UInt64
  private let parent: String

  init(_ arguments: Arguments) throws {
    count = try arguments.number("count", default: 200)
    seed = try arguments.number("seed", default: System.anySeed())
    parent = arguments.text("in") ?? Child.temporaryFolder
  }

  func run() throws -> Outcome {
    let folder = try Files.makeTemporaryFolder(in: parent)
    var random = SeededGenerator(seed: seed)
    var tally = AuditTally()
    let start = System.seconds
    var site = try Site(folder, number: 0, seed: seed)
    for round in 0..<count {
      if round % Self.roundsPerStore == 0 {
        try site.remove()
        site = try Site(folder, number: round, seed: random.next() >> 32)
        try site.beginAndKill(&random)
      }
      let writer = try site.startWriter(run: UInt64(round), &random)
      // One in four is killed while it starts and opens the store.
      if random.below(4) > 0 { try site.waitForAcknowledgement(milliseconds: 300) }
      System.pause(microseconds: UInt32.random(in: 1_000...30_000, using: &random))
      let ending = try writer.killNow()
      guard ending == .killed(signal: SIGKILL) else {
        throw BrokenPromise("the writer ended by itself: \(ending)\n\(site.replay(seed, round))")
      }
      tally.note(try site.audit(run: UInt64(round)), site)
    }
    try site.remove()
    try Files.removeFolder(folder)
    System.say(
      tally.summary("kills", count, seconds: System.seconds - start) + " (--seed \(seed))")
    return .held
  }
}
