import CRDTStoreTesting
import Toolkit

/// Writes on disks that fill up at any moment, and looks whether the store opens
/// on the full disk and has all that was acknowledged.
struct FullDisk {
  private let count: Int
  private let seed: UInt64
  private let parent: String
  private let kind: String

  init(_ arguments: Arguments) throws {
    count = try arguments.number("count", default: 30)
    seed = try arguments.number("seed", default: System.anySeed())
    parent = arguments.text("in") ?? Child.temporaryFolder
    kind = arguments.text("disk") ?? "tmpfs"
  }

  func run() throws -> Outcome {
    let isTmpfs = kind == "tmpfs"
    if let reason = System.isRoot ? isTmpfs ? nil : Bench.reasonNotToMount(kind) : "it needs root" {
      System.say("SKIPPED: full disk on \(kind): \(reason)")
      return .skipped
    }
    return try Bench.withMemoryDisk(in: parent, megabytes: isTmpfs ? 4 : 24) { folder in
      // What was acknowledged is noted where there is room.
      let outside = try Files.makeTemporaryFolder(in: parent)
      let disk =
        isTmpfs ? nil : try LoopDisk.make(kind, megabytes: 8, in: folder, name: "disk")
      try fill(disk?.mountPoint ?? folder, outside)
      try Files.removeFolder(outside)
      return .held
    }
  }

  private func fill(_ folder: String, _ outside: String) throws {
    let start = System.seconds
    var random = SeededGenerator(seed: seed)
    var (tally, stopped, refused) = (AuditTally(), 0, 0)
    let site = Site(
      store: "\(folder)/store", outside: outside, number: 0, seed: random.next() >> 32)
    let ballast = "\(folder)/ballast"
    for round in 0..<count {
      // What is free is seldom more than a snapshot and some segments take.
      let free = random.below(3) == 0 ? random.next() % 16_000 : random.next() % 300_000
      if round > 0 { try Files.leave(Int(free), at: folder, ballast) }
      let writer = try site.startWriter(run: UInt64(round), &random)
      switch try writer.wait(milliseconds: 150) {
      case nil: _ = try writer.killNow()
      case .exited(Outcome.stopped.rawValue): stopped += 1
      case .exited(Outcome.refused.rawValue) where Files.text(of: site.log).contains("No space"):
        refused += 1
      case let ending?:
        throw BrokenPromise("the writer ended: \(ending)\n\(site.replay(seed, round))")
      }
      do {
        tally.note(try site.audit(run: UInt64(round), ["--full"]), site)
      } catch let broken as BrokenPromise {
        let free = try Files.freeBytes(at: folder)
        throw BrokenPromise(
          "\(broken.message)(full disk on \(kind), \(free) bytes free, round \(round), --seed \(seed))"
        )
      }
      Files.remove(ballast)
    }
    System.say(
      tally.summary("full disk on \(kind)", count, seconds: System.seconds - start)
        + "; writers stopped by the full disk \(stopped), not opened for writing \(refused)"
        + " (--seed \(seed))")
  }
}
