import CRDTStore
import Foundation
import Testing

/// The files of a store's folder on the machine's disk, handled as backup tools do it.
struct StoreFiles {
  let path: String

  init(_ path: String) {
    self.path = path
  }

  private var manager: FileManager { .default }

  /// Copies the folder to a path where there is none, as `cp -r` does.
  func copy(to target: String) throws {
    try manager.copyItem(atPath: path, toPath: target)
  }

  /// Copies a backup over the folder, each file into the one that is there, as `cp` and
  /// `rsync --inplace --delete` do.
  func overwrite(from backup: String) throws {
    try replaceAll(from: backup) { bytes, target in
      guard let handle = FileHandle(forWritingAtPath: target) else {
        return try bytes.write(to: URL(fileURLWithPath: target))
      }
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes)
      try handle.close()
    }
  }

  /// Puts new files with the bytes of a backup in the place of those of the folder, as `tar`
  /// does.
  func unpack(from backup: String) throws {
    try replaceAll(from: backup) { bytes, target in
      try? manager.removeItem(atPath: target)
      try bytes.write(to: URL(fileURLWithPath: target))
    }
  }

  /// Makes the folder's files those of a backup.
  private func replaceAll(
    from backup: String, _ replace: (Data, String) throws -> Void
  ) throws {
    var kept: Set<String> = []
    for name in try manager.subpathsOfDirectory(atPath: backup) {
      kept.insert(name)
      var isFolder: ObjCBool = false
      _ = manager.fileExists(atPath: "\(backup)/\(name)", isDirectory: &isFolder)
      if isFolder.boolValue {
        try manager.createDirectory(
          atPath: "\(path)/\(name)", withIntermediateDirectories: true)
      } else {
        try replace(Data(contentsOf: URL(fileURLWithPath: "\(backup)/\(name)")), "\(path)/\(name)")
      }
    }
    for name in try manager.subpathsOfDirectory(atPath: path) where !kept.contains(name) {
      try? manager.removeItem(atPath: "\(path)/\(name)")
    }
  }

  /// Makes a folder at a path of hard links to all files, as `cp -al` does.
  func link(to target: String) throws {
    try manager.createDirectory(atPath: target, withIntermediateDirectories: false)
    for name in try manager.subpathsOfDirectory(atPath: path) {
      var isFolder: ObjCBool = false
      _ = manager.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
      if isFolder.boolValue {
        try manager.createDirectory(
          atPath: "\(target)/\(name)", withIntermediateDirectories: true)
      } else {
        #expect(Foundation.link("\(path)/\(name)", "\(target)/\(name)") == 0)
      }
    }
  }

  func remove() throws {
    try manager.removeItem(atPath: path)
  }

  func move(to target: String) throws {
    try manager.moveItem(atPath: path, toPath: target)
  }

  /// What the system says of `LOCK`.
  func lockIdentity() throws -> FileIdentity {
    let disk = DiskFileSystem()
    let folder = try disk.openFolder(at: path)
    defer { disk.close(folder) }
    let lock = try disk.open("LOCK", in: folder, for: .reading)
    defer { disk.close(lock) }
    return try disk.identity(of: lock)
  }

  /// Waits until the clock of the disk, which may go on a hundred times a second only, has
  /// left the time at which `LOCK` was made.
  func waitForClock() throws {
    let made = try lockIdentity()
    let disk = DiskFileSystem()
    let folder = try disk.openFolder(at: "\(path)/..")
    defer { disk.close(folder) }
    let probe = try disk.open("probe", in: folder, for: .locking)
    defer { disk.close(probe) }
    for _ in 0..<1 << 20 {
      try disk.truncate(probe, to: 0)
      let now = try disk.identity(of: probe)
      let isLater =
        (now.changeSeconds, now.changeNanoseconds) > (made.changeSeconds, made.changeNanoseconds)
      if isLater { return try disk.remove("probe", in: folder) }
    }
    Issue.record("the clock of the disk stands still")
  }
}
