import CRDTStore
import CRDTStoreTesting

/// The way in which an older copy replaces a store's folder.
enum DiskPutting: String, CaseIterable, Sendable {
  /// The folder is removed, and the copy is made in its place.
  case copiedBack = "copied back"
  /// Each file is written over with what the copy has.
  case overwritten = "copied over"
  /// Each file is replaced by a new one, as an archive is unpacked.
  case unpacked
  /// A backup that the store has made is moved there.
  case movedIn = "moved in"
  /// The whole disk is as it was then: all files have the numbers and times of then.
  case image = "image put back"

  /// Whether a store can tell it from its files.
  var isNoticed: Bool { self != .image }
}

extension WorldDisk {
  /// What is on it, as all see it: a power cut would leave less.
  var image: DiskImage { files.seenImage }

  /// Puts the files of a folder of an image in the place of those that are in the folder
  /// now, durable at once; may leave the file by which a store knows its home.
  mutating func put(
    _ image: DiskImage, _ path: String, by putting: DiskPutting, leavingHome: Bool
  ) throws(SystemError) {
    let prefix = path + "/"
    var wanted: [String: [UInt8]] = [:]
    for (name, bytes) in image.files where name.hasPrefix(prefix) {
      wanted[String(name.dropFirst(prefix.count))] = bytes
    }
    let found = files.seenImage.files.keys.filter { $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count)) }
    if putting == .copiedBack { try setAside(path) }
    for (name, bytes) in wanted.sorted(by: { $0.key < $1.key }) {
      if leavingHome, name == "LOCK" { continue }
      try write(bytes, to: name, in: path, isReplaced: putting != .overwritten)
    }
    for folder in image.emptyFolders where folder.hasPrefix(prefix) {
      try? files.makeFolder(at: folder)
    }
    if putting != .copiedBack {
      for name in found.sorted() where wanted[name] == nil { try remove(name, in: path) }
    }
    become(files.seenImage)
  }

  /// Moves a folder to the place of another.
  mutating func move(_ source: String, to path: String) throws(SystemError) {
    try setAside(path)
    try rename(source, to: path)
    become(files.seenImage)
  }

  private func setAside(_ path: String) throws(SystemError) {
    var number = 1
    while let folder = try? files.openFolder(at: "/set aside \(number)") {
      files.close(folder)
      number += 1
    }
    try rename(path, to: "/set aside \(number)")
    try files.makeFolder(at: path)
  }

  /// Renames a folder of the uppermost one; an empty one may be in the place.
  private func rename(_ path: String, to target: String) throws(SystemError) {
    let root = try files.openFolder(at: "/")
    defer { files.close(root) }
    try files.rename(
      String(path.dropFirst()), in: root, to: String(target.dropFirst()), in: root)
  }

  private func write(
    _ bytes: [UInt8], to name: String, in path: String, isReplaced: Bool
  ) throws(SystemError) {
    let (folder, last) = try open(name, in: path)
    defer { files.close(folder) }
    if isReplaced { try? files.remove(last, in: folder) }
    // An empty file is made by locking it, as nothing else makes one that is there.
    let file = try files.open(last, in: folder, for: .locking)
    files.close(file)
    let opened = try files.open(last, in: folder, for: .writing)
    defer { files.close(opened) }
    try files.truncate(opened, to: 0)
    let failure: SystemError? = bytes.withUnsafeBytes { all in
      do throws(SystemError) { _ = try files.write(opened, all, at: 0) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  private func remove(_ name: String, in path: String) throws(SystemError) {
    let (folder, last) = try open(name, in: path)
    defer { files.close(folder) }
    try files.remove(last, in: folder)
  }

  /// Opens the folder that a file is in, which is made where it isn't there.
  private func open(
    _ name: String, in path: String
  ) throws(SystemError) -> (folder: OpenFile, last: String) {
    var names = name.split(separator: "/").map(String.init)
    let last = names.popLast() ?? ""
    var folder = path
    for name in names {
      folder += "/\(name)"
      try? files.makeFolder(at: folder)
    }
    return (try files.openFolder(at: folder), last)
  }
}
