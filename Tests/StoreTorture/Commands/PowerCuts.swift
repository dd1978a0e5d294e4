import CRDTStoreTesting
import Toolkit

/// Cuts the power of disks on which stores are being written, and looks whether
/// anything is missing that was acknowledged.
///
/// The writer works on a small disk in an image file. It is stopped, the image is
/// copied, and the copy, which has what had reached the disk and nothing else, is
/// mounted and audited. Then either the writer goes on, or the copy becomes the
/// disk that is written on.
struct PowerCuts {
  /// After how many cuts another disk is made.
  private static let cutsPerDisk = 25
  /// Of how many cuts one at most may leave a disk that can't be read.
  private static let cutsPerUnreadable = 50

  private let count: Int
  private let seed: UInt64
  private let parent: String
  private let kind: String
  private let megabytes: Int
  private let sabotage: String?
  /// Where everything is copied to if a promise is broken.
  private let kept: String?

  init(_ arguments: Arguments) throws {
    count = try arguments.number("count", default: 200)
    seed = try arguments.number("seed", default: System.anySeed())
    parent = arguments.text("in") ?? Child.temporaryFolder
    kind = arguments.text("disk") ?? "ext4"
    megabytes = try arguments.number("megabytes", default: 8)
    sabotage = arguments.text("sabotage")
    kept = arguments.text("keep")
  }

  func run() throws -> Outcome {
    if let reason = Bench.reasonNotToMount(kind) {
      System.say("SKIPPED: power cuts on \(kind): \(reason)")
      return .skipped
    }
    return try Bench.withMemoryDisk(in: parent, megabytes: megabytes * 6 + 16) { folder in
      let start = System.seconds
      var tally = AuditTally()
      do {
        try cut(in: folder, &tally)
      } catch let broken as BrokenPromise where sabotage != nil {
        let summary = "noticed at cut \(tally.audits + 1) of \(kind): \(broken.message)"
        System.say("\(sabotage ?? ""): \(summary.prefix { $0 != "\n" }) (--seed \(seed))")
        return .held
      } catch let broken as BrokenPromise {
        if let kept { try Child.run("cp", "-r", folder, kept, allowing: [0, 1]) }
        throw BrokenPromise("\(broken.message) (\(kind), cut \(tally.audits + 1), --seed \(seed))")
      }
      let summary = tally.summary("power cuts on \(kind)", count, seconds: System.seconds - start)
      if let sabotage {
        System.say("\(sabotage): NOT NOTICED; \(summary) (--seed \(seed))")
        return .broken
      }
      System.say("\(summary) (--seed \(seed))")
      return .held
    }
  }

  private func cut(in folder: String, _ tally: inout AuditTally) throws {
    var random = SeededGenerator(seed: seed)
    var done = 0
    while done < count {
      let bench = try Bench(
        LoopDisk.make(kind, megabytes: megabytes, in: folder, name: "disk.\(done)"),
        in: folder, number: done, seed: random.next() >> 32)
      try cut(bench, min(Self.cutsPerDisk, count - done), &random, &tally)
      done += Self.cutsPerDisk
    }
  }

  /// Makes some cuts on a disk, and the disks that come of it.
  private func cut(
    _ first: Bench, _ cuts: Int, _ random: inout SeededGenerator, _ tally: inout AuditTally
  ) throws {
    var bench = first
    let extra = sabotage.map { ["--sabotage", $0] } ?? []
    if sabotage != nil {
      // The store itself is made as it should be: it is commits that must be missing.
      _ = try bench.site.startWriter(["--compact", "--milliseconds", "50"]).wait()
    }
    if random.below(2) == 0 { try bench.site.beginAndKill(&random) }
    var writer = try bench.site.startWriter(run: 0, &random, extra)
    defer { _ = try? writer.killNow() }
    for cut in 1...cuts {
      if random.below(4) > 0 { try bench.site.waitForAcknowledgement(milliseconds: 300) }
      System.pause(microseconds: UInt32.random(in: 500...20_000, using: &random))
      if let ending = try writer.stop() {
        throw BrokenPromise(
          "the writer ended by itself: \(ending)\n\(bench.site.replay(seed, cut))")
      }
      if random.below(2) == 0 { bench.writeBackSome(&random) }
      let after = try bench.afterPowerCut(number: first.site.number + cut)
      let isFit = try audit(after, cut, first, &tally)
      if isFit, random.below(3) == 0 {
        // The machine that came up goes on, and the other is no more.
        _ = try writer.killNow()
        try bench.discard()
        bench = after
        writer = try bench.site.startWriter(run: UInt64(cut), &random, extra)
      } else {
        try after.discard()
        writer.resume()
      }
    }
    _ = try writer.killNow()
    try bench.discard()
  }

  /// Mounts and audits what a power cut left; says whether it can be gone on with.
  ///
  /// Without a journal, a file's removal may be undone after others have got its
  /// blocks. What the system's own check then takes for that file's list of blocks,
  /// and puts in order, is what others have written there. Then the disk is audited
  /// as it was before the check, without writing: if it has all, the check has
  /// spoiled it, which is counted, and no broken promise.
  ///
  /// Nor is it one where the system can't read it before the check: a file whose size
  /// reached the disk, while it was written to, before the list of its blocks did. That
  /// is counted too, and bounded, for such a disk shows nothing.
  private func audit(
    _ bench: Bench, _ cut: Int, _ first: Bench, _ tally: inout AuditTally
  ) throws -> Bool {
    guard kind != "ext4" else {
      try bench.disk.mount()
      tally.note(try bench.site.audit(run: UInt64(cut)), first.site)
      return true
    }
    let unchecked = "\(bench.disk.image).unchecked"
    try Files.copy(bench.disk.image, to: unchecked)
    defer { Files.remove(unchecked) }
    let acknowledged = try Acknowledgements.latest(at: bench.site.acks)
    try bench.disk.check()
    try bench.disk.mount()
    do {
      tally.note(try bench.site.audit(run: UInt64(cut)), first.site)
      return true
    } catch let broken as BrokenPromise {
      try bench.disk.unmount()
      try Files.copy(unchecked, to: bench.disk.image)
      try bench.disk.mount(readOnly: true)
      // The audit may have noted a commit of its own.
      Files.remove(bench.site.acks)
      if acknowledged > 0 { try Acknowledgements(bench.site.acks).note(acknowledged) }
      do {
        _ = try bench.site.audit(run: UInt64(cut), ["--read-only"])
      } catch let unchecked as BrokenPromise {
        throw BrokenPromise("\(broken.message)\nand before the check: \(unchecked.message)")
      } catch let disk as UnreadableDisk {
        tally.noteUnreadable()
        guard tally.unreadable <= 2 + count / Self.cutsPerUnreadable else {
          throw BrokenPromise("too many disks can't be read: \(disk.message)")
        }
        return false
      }
      tally.noteSpoiled()
      return false
    }
  }
}
