/// A file system in an image file, mounted by a loop device.
///
/// The image file is what the disk has: what a power cut would leave is a copy of
/// it.
struct LoopDisk {
  let image: String
  let mountPoint: String

  /// Makes an image with an empty file system of a kind, and mounts it.
  static func make(
    _ kind: String, megabytes: Int, in folder: String, name: String
  ) throws -> LoopDisk {
    let disk = LoopDisk(image: "\(folder)/\(name).image", mountPoint: "\(folder)/\(name)")
    try Files.makeEmptyImage(disk.image, size: megabytes << 20)
    // Nothing is kept back for root, who would never see the disk full.
    try Child.run("mkfs.\(kind)", "-q", "-F", "-m", "0", disk.image)
    try disk.mount()
    return disk
  }

  func mount(readOnly: Bool = false) throws {
    if !Files.exists(mountPoint) { try Files.makeFolder(mountPoint) }
    try Child.run("mount", "-o", readOnly ? "loop,ro" : "loop", image, mountPoint)
  }

  func unmount() throws {
    // Whoever has just been killed may still be letting go of it.
    for attempt in 0..<50 {
      do {
        try Child.run("umount", mountPoint)
        return
      } catch {
        guard attempt < 49 else { throw error }
        System.pause(microseconds: 5_000)
      }
    }
  }

  /// Unmounts it, and removes it.
  func discard() throws {
    try unmount()
    Files.remove(image)
  }

  /// A copy of the image as it is now, which is what a power cut would leave; whoever
  /// writes on this disk must be stopped.
  func afterPowerCut(as name: String, in folder: String) throws -> LoopDisk {
    let copy = LoopDisk(image: "\(folder)/\(name).image", mountPoint: "\(folder)/\(name)")
    // Nothing may reach the disk meanwhile, or the copy would have what came later
    // and lack what came before; the kernel writes of its own accord now and then.
    for _ in 0..<100 {
      let before = activity()
      try Files.copy(image, to: copy.image)
      if let before, before == activity() { return copy }
      System.pause(microseconds: 1_000)
    }
    throw System.Trouble(description: "the disk \(image) never rests")
  }

  /// Puts in order what was cut short, where there is no journal to do it from.
  func check() throws {
    try Child.run("e2fsck", "-f", "-y", image, allowing: [0, 1, 2])
  }

  /// How often the disk was written to; `nil` while it is written to.
  private func activity() -> [Substring]? {
    let mounts = Files.text(of: "/proc/self/mounts").split(separator: "\n")
    let words = mounts.lazy.map { $0.split(separator: " ") }
    guard let device = words.last(where: { $0.count > 1 && $0[1] == mountPoint })?[0],
      let name = device.split(separator: "/").last
    else { return nil }
    let facts = Files.text(of: "/sys/block/\(name)/stat").split(whereSeparator: \.isWhitespace)
    // The ninth number counts requests that are under way.
    guard facts.count > 9, facts[8] == "0" else { return nil }
    return Array(facts[4..<8])
  }
}
