import CRDTStoreTesting
import Toolkit

/// Writers that may open only so many files, or make them only so large.
struct Limits {
  private let seed: UInt64
  private let parent: String

  init(_ arguments: Arguments) throws {
    seed = try arguments.number("seed", default: System.anySeed())
    parent = arguments.text("in") ?? Child.temporaryFolder
  }

  func run() throws -> Outcome {
    let folder = try Files.makeTemporaryFolder(in: parent)
    var random = SeededGenerator(seed: seed)
    try run("too few descriptors", "few", (4...24).map { "ulimit -n \($0)" }, in: folder, &random)
    // In blocks of 512 or 1024 bytes, as the shell has it.
    try run("bounded files", "bounded", (1...24).map { "ulimit -f \($0 * 2)" }, in: folder, &random)
    let closed = Array(repeating: "exec 0<&- 1>&- 2>&-", count: 5)
    try run("closed standard descriptors", "closed", closed, in: folder, &random)
    try Files.removeFolder(folder)
    return .held
  }

  private func run(
    _ what: String, _ name: String, _ limits: [String], in folder: String,
    _ random: inout SeededGenerator
  ) throws {
    let start = System.seconds
    try Files.makeFolder("\(folder)/\(name)")
    var (tally, stopped, refused) = (AuditTally(), 0, 0)
    for (round, limit) in limits.enumerated() {
      // Some find a store that others have made.
      let site = try Site("\(folder)/\(name)", number: round / 4, seed: seed)
      let words =
        ["write", site.store, "--acks", site.acks, "--seed", "\(seed)", "--run", "\(round)"]
        + ["--compact", "--segment-bytes", "\(random.below(2) == 0 ? 4_096 : 65_536)"]
        + ["--threads", "\(1 + random.next() % 3)"]
      let writer = try site.start(words, by: ["sh", "-c", "\(limit); exec \"$@\"", "sh"])
      switch try writer.wait(milliseconds: 250) {
      case nil: _ = try writer.killNow()
      case .exited(Outcome.stopped.rawValue): stopped += 1
      // What loads the program, and the notes, need descriptors too.
      case .exited(Outcome.refused.rawValue), .exited(Outcome.trouble.rawValue), .exited(127):
        refused += 1
      case let ending?:
        throw BrokenPromise("\(limit): the writer ended: \(ending)\n\(site.replay(seed, round))")
      }
      do {
        tally.note(try site.audit(run: UInt64(round)), site)
      } catch let broken as BrokenPromise {
        throw BrokenPromise("\(limit): \(broken.message)(--seed \(seed))")
      }
    }
    System.say(
      tally.summary(what, limits.count, seconds: System.seconds - start)
        + "; writers stopped \(stopped), not opened \(refused) (--seed \(seed))")
  }
}
