import CRDTStoreTesting

/// A disk of its own, and the store on it.
struct Bench {
  let disk: LoopDisk
  let site: Site
  private let folder: String

  init(_ disk: LoopDisk, in folder: String, number: Int, seed: UInt64) {
    self.disk = disk
    self.folder = folder
    site = Site(
      store: "\(disk.mountPoint)/store", outside: folder, number: number, seed: seed)
  }

  /// Lets some files, and some folders' names, reach the disk of their own accord,
  /// as the system may at any time, in any order.
  func writeBackSome(_ random: inout SeededGenerator) {
    let folders =
      [site.store] + ["segments", "snapshots", "quarantine"].map { "\(site.store)/\($0)" }
    var paths = folders
    for folder in folders { paths += Files.names(in: folder).sorted().map { "\(folder)/\($0)" } }
    for path in paths.shuffled(using: &random) where random.below(3) == 0 {
      Files.synchronize(path)
    }
  }

  /// The same after a power cut, not yet mounted; whoever writes must be stopped.
  func afterPowerCut(number: Int) throws -> Bench {
    let copy = try disk.afterPowerCut(as: "cut.\(number)", in: folder)
    let bench = Bench(copy, in: folder, number: number, seed: site.seed)
    // Its number may be that of the disk that it began with.
    Files.remove(bench.site.acks)
    if Files.exists(site.acks) { try Files.copy(site.acks, to: bench.site.acks) }
    return bench
  }

  func discard() throws {
    try disk.discard()
    Files.remove(site.acks)
    Files.remove(site.log)
  }
}

extension Bench {
  /// Why no disk of a kind can be mounted here; `nil` where it can.
  static func reasonNotToMount(_ kind: String) -> String? {
    guard System.isRoot else { return "it needs root" }
    for program in ["mount", "umount", "losetup", "mkfs.\(kind)"] where !Child.has(program) {
      return "there is no \(program)"
    }
    guard Files.exists("/dev/loop-control") else { return "there are no loop devices" }
    return nil
  }

  /// Gives the body a folder in memory, so that images are copied quickly, and
  /// takes down afterwards what is mounted in it.
  static func withMemoryDisk(
    in parent: String, megabytes: Int, _ body: (String) throws -> Outcome
  ) throws -> Outcome {
    let folder = try Files.makeTemporaryFolder(in: parent)
    do {
      try Child.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder)
    } catch {
      try Files.removeFolder(folder)
      System.say("SKIPPED: nothing can be mounted here: \(error)")
      return .skipped
    }
    defer { takeDown(folder) }
    return try body(folder)
  }

  private static func takeDown(_ folder: String) {
    let mounts = Files.text(of: "/proc/self/mounts").split(separator: "\n")
    let points = mounts.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
    for point in points.reversed() where point == folder || point.hasPrefix("\(folder)/") {
      _ = try? Child.run("umount", "-l", point)
    }
    _ = try? Files.removeFolder(folder)
  }
}
