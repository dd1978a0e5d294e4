import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// A tool that copies folders from machine to machine, badly: files come late, in
/// part, under other names, more than once, and in any order.
struct SyncingTool {
  /// The machines, each with a copy of the folder.
  let machines: [SimulatedFileSystem]
  let path = "/relay"

  /// Lets something happen to some files on the way from one machine to another, or
  /// delivers them as it should be.
  func deliver(
    _ count: Int, from source: Int, to target: Int, isSound: Bool,
    using random: inout SeededGenerator
  ) throws {
    let theirs = try contents(of: source).filter { isOwned(Self.owner($0.key), by: source) }
    var mine = try contents(of: target)
    for _ in 0..<count {
      // What the writer has removed goes, at some time.
      let gone = mine.keys.sorted().filter {
        theirs[$0] == nil && isOwned(Self.owner($0), by: source)
      }
      if Int.random(in: 0..<4, using: &random) == 0, let name = gone.randomElement(using: &random) {
        mine[name] = nil
        try remove(name, on: target)
      }
      let different = theirs.keys.sorted().filter { theirs[$0] != mine[$0] }
      guard let name = different.randomElement(using: &random), let bytes = theirs[name] else {
        continue
      }
      let (newName, newBytes) = isSound ? (name, bytes) : Self.spoil(name, bytes, using: &random)
      mine[newName] = newBytes
      try write(newBytes, newName, on: target)
    }
  }

  /// What a tool may make of a file on its way.
  private static func spoil(
    _ name: String, _ bytes: [UInt8], using random: inout SeededGenerator
  ) -> (String, [UInt8]) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return (name, Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
    case 1: return (name, bytes.map { _ in 0 })
    case 2:
      var damaged = bytes
      damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= 1
      return (name, damaged)
    case 3: return ("\(name.dropLast(6)) (conflicted copy).delta", bytes)
    case 4: return ("\(name).tmp", bytes)
    case 5: return ("\(owner(name))/.syncing", bytes.dropLast())
    default: return (name, bytes)
    }
  }

  private static func owner(_ name: String) -> String {
    name.split(separator: "/").first.map(String.init) ?? ""
  }

  /// Which machine a subfolder belongs to is found out by where it was first.
  private let owners = Guarded<[String: Int]>([:])

  init(_ machines: [SimulatedFileSystem]) {
    self.machines = machines
  }

  /// Notes whose subfolder it is.
  func own(_ folder: String, by machine: Int) {
    owners.withLock { $0[folder] = machine }
  }

  private func isOwned(_ folder: String, by machine: Int) -> Bool {
    owners.withLock { $0[folder] == machine }
  }

  /// The files on a machine, by the subfolder's name and their own.
  func contents(of machine: Int) throws -> [String: [UInt8]] {
    let files = machines[machine]
    guard let root = try? files.openFolder(at: path) else { return [:] }
    defer { files.close(root) }
    var contents: [String: [UInt8]] = [:]
    for owner in try files.names(in: root) {
      let folder = try files.open(owner, in: root, for: .folder)
      defer { files.close(folder) }
      for name in try files.names(in: folder) {
        let file = try files.open(name, in: folder, for: .reading)
        defer { files.close(file) }
        contents["\(owner)/\(name)"] = try files.read(file, count: files.size(of: file))
      }
    }
    return contents
  }

  private func write(_ bytes: [UInt8], _ name: String, on machine: Int) throws {
    let files = machines[machine]
    let parts = name.split(separator: "/").map(String.init)
    try? files.makeFolder(at: path)
    try? files.makeFolder(at: "\(path)/\(parts[0])")
    let folder = try files.openFolder(at: "\(path)/\(parts[0])")
    defer { files.close(folder) }
    try? files.remove(parts[1], in: folder)
    let file = try files.open(parts[1], in: folder, for: .creating)
    defer { files.close(file) }
    if !bytes.isEmpty { try files.write(bytes, to: file) }
  }

  private func remove(_ name: String, on machine: Int) throws {
    let parts = name.split(separator: "/").map(String.init)
    let folder = try machines[machine].openFolder(at: "\(path)/\(parts[0])")
    defer { machines[machine].close(folder) }
    try machines[machine].remove(parts[1], in: folder)
  }
}
