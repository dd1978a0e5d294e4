import CRDTStoreTesting
import Toolkit

/// System calls that fail in the kernel's place, by strace: so nothing that the
/// store does on disk goes past the file system that tests can put in its place.
struct Faults {
  private static let calls = [
    "fdatasync", "fsync", "pwrite64", "renameat", "ftruncate", "unlinkat", "mkdirat", "flock",
  ]

  private let count: Int
  private let seed: UInt64
  private let parent: String

  init(_ arguments: Arguments) throws {
    count = try arguments.number("count", default: 80)
    seed = try arguments.number("seed", default: System.anySeed())
    parent = arguments.text("in") ?? Child.temporaryFolder
  }

  func run() throws -> Outcome {
    guard Child.has("strace") else {
      System.say("SKIPPED: faults: there is no strace")
      return .skipped
    }
    guard (try? Child.run("strace", "-o", "/dev/null", "true")) != nil else {
      System.say("SKIPPED: faults: strace may not trace here")
      return .skipped
    }
    let folder = try Files.makeTemporaryFolder(in: parent)
    let start = System.seconds
    var random = SeededGenerator(seed: seed)
    var (tally, stopped, refused, injected) = (AuditTally(), 0, 0, 0)
    for round in 0..<count {
      // Several failures of one store, one after the other.
      let site = try Site(folder, number: round / 8, seed: seed)
      let call = Self.calls[round % Self.calls.count]
      let error = ["EIO", "ENOSPC", "EDQUOT"][Int(random.next() % 3)]
      let isRare = !["fdatasync", "pwrite64"].contains(call)
      let place = 1 + random.next() % (isRare ? 8 : 60)
      let fault = "\(call):error=\(error):when=\(place)\(random.below(3) == 0 ? "+" : "")"
      let trace = "\(folder)/trace"
      let words =
        ["write", site.store, "--acks", site.acks, "--seed", "\(seed)", "--run", "\(round)"]
        + ["--compact", "--segment-bytes", "4096", "--milliseconds", "200"]
      let strace =
        [
          "strace", "-f", "-y", "-qq", "-o", trace, "-e", "trace=\(call),write", "-e",
          "inject=\(fault)",
        ]
      let ending = try site.start(words, by: strace).wait()
      let lines = Files.text(of: trace).split(separator: "\n")
      if lines.contains(where: { $0.contains("(INJECTED)") }) { injected += 1 }
      switch ending {
      case .exited(0): break
      case .exited(Outcome.stopped.rawValue): stopped += 1
      case .exited(Outcome.refused.rawValue): refused += 1
      default:
        throw BrokenPromise("\(fault): the writer ended: \(ending)\n\(site.replay(seed, round))")
      }
      if call == "fdatasync" || call == "pwrite64" { try checkSilence(lines, fault, site, round) }
      do {
        tally.note(try site.audit(run: UInt64(round)), site)
      } catch let broken as BrokenPromise {
        throw BrokenPromise("\(fault): \(broken.message)(round \(round), --seed \(seed))")
      }
    }
    try Files.removeFolder(folder)
    System.say(
      tally.summary("faults", count, seconds: System.seconds - start)
        + "; injected \(injected), writers stopped \(stopped), not opened \(refused)"
        + " (--seed \(seed))")
    return .held
  }

  /// After a call that failed, the thread that made it acknowledges at most the
  /// commit that was durable before it.
  private func checkSilence(
    _ lines: [Substring], _ fault: String, _ site: Site, _ round: Int
  ) throws {
    guard let place = lines.firstIndex(where: { $0.contains("(INJECTED)") }) else { return }
    // What was to be a new file isn't there then, and the store goes on without.
    if lines[place].contains(" pwrite64("), lines[place].contains(".new>") { return }
    let thread = lines[place].prefix { $0 != " " }
    let later = lines[place...].filter { line in
      line.hasPrefix(thread) && line.contains(" write(") && line.hasSuffix(", 8) = 8")
    }
    guard later.count <= 1 else {
      throw BrokenPromise(
        "\(fault): \(later.count) commits were acknowledged after it\n\(site.replay(seed, round))")
    }
  }
}
