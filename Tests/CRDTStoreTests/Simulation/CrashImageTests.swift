import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What a power cut may leave of a simulated disk, and what it may not.
@Suite("Images of crashes")
struct CrashImageTests {
  private let files = SimulatedFileSystem(
    DiskImage(files: ["/a/f": [1, 2, 3, 4]], folders: ["/b"]))
  private let folder: OpenFile
  private let other: OpenFile
  private let file: OpenFile

  init() throws {
    folder = try files.openFolder(at: "/a")
    other = try files.openFolder(at: "/b")
    file = try files.open("f", in: folder, for: .writing)
  }

  @Test("A write that was not synchronized may vanish or be torn; one that was may not")
  func writes() throws {
    try files.write([5, 6, 7], to: file, at: 3)
    let left = files.leftovers(of: "/a/f")
    #expect(
      left == [
        [1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 3, 5, 6], [1, 2, 3, 5, 6, 7],
        [1, 2, 3, 4, 0, 0], [1, 2, 3, 5, 0, 0], [1, 2, 3, 5, 6, 0],
      ])
    try files.synchronize(file)
    #expect(files.leftovers(of: "/a/f") == [[1, 2, 3, 5, 6, 7]])
    #expect(files.history.images(atCall: files.callCount - 1).count == left.count)
  }

  @Test("Writes that were not synchronized reach the disk in any order")
  func order() throws {
    try files.write([8], to: file, at: 0)
    try files.write([9], to: file, at: 1)
    #expect(
      files.leftovers(of: "/a/f") == [[1, 2, 3, 4], [8, 2, 3, 4], [1, 9, 3, 4], [8, 9, 3, 4]])
  }

  @Test("Cutting a file may be undone until it is synchronized")
  func cuts() throws {
    try files.truncate(file, to: 1)
    #expect(files.leftovers(of: "/a/f") == [[1, 2, 3, 4], [1]])
    try files.write([9], to: file, at: 1)
    #expect(files.leftovers(of: "/a/f").isSuperset(of: [[1, 9], [1, 9, 3, 4], [1], [1, 0]]))
    try files.synchronize(file)
    #expect(files.leftovers(of: "/a/f") == [[1, 9]])
  }

  @Test("Sectors are written whole and in any order")
  func sectors() throws {
    try files.truncate(file, to: 0)
    try files.write([UInt8](repeating: 1, count: 1_536), to: file)
    try files.synchronize(file)
    try files.write([UInt8](repeating: 2, count: 1_536), to: file)
    // The new sectors of what is left, but for what is torn within one.
    let left = Set(
      files.leftovers(of: "/a/f").compactMap { bytes -> [UInt8]? in
        guard let bytes, bytes.count == 1_536 else { return nil }
        let sectors = stride(from: 0, to: 1_536, by: 512).map { bytes[$0..<$0 + 512] }
        return sectors.allSatisfy { Set($0).count == 1 } ? sectors.compactMap(\.first) : nil
      })
    #expect(left.count == 8)
  }

  @Test("A new name may vanish until its folder is synchronized, whatever the file is")
  func creation() throws {
    let new = try files.open("g", in: folder, for: .creating)
    try files.write([5], to: new)
    try files.synchronize(new)
    #expect(files.leftovers(of: "/a/g") == [nil, [5]])
    try files.synchronizeNames(in: other)
    #expect(files.leftovers(of: "/a/g") == [nil, [5]])
    try files.synchronizeNames(in: folder)
    #expect(files.leftovers(of: "/a/g") == [[5]])
  }

  @Test("A safe name does not make bytes safe")
  func namesAndBytes() throws {
    let new = try files.open("g", in: folder, for: .creating)
    try files.write([5], to: new)
    try files.synchronizeNames(in: folder)
    #expect(files.leftovers(of: "/a/g") == [[], [5], [0]])
  }

  @Test("Removing a name may be undone until its folder is synchronized")
  func removal() throws {
    try files.remove("f", in: folder)
    #expect(files.pathsLeft(.unordered) == [["/a/f"], []])
    try files.synchronizeNames(in: folder)
    #expect(files.pathsLeft(.unordered) == [[]])
  }

  @Test("Replacing a file leaves the old bytes or the new, until its folder is synchronized")
  func replacement() throws {
    let new = try files.open("g", in: folder, for: .creating)
    try files.write([5], to: new)
    try files.synchronize(new)
    try files.rename("g", in: folder, to: "f", in: folder)
    for order in [.journaled, .unordered] as [CrashChoices.NameOrder] {
      let choices = CrashChoices(nameOrder: order, randomCount: 100)
      #expect(files.leftovers(of: "/a/f", choices: choices) == [[1, 2, 3, 4], [5]])
    }
    try files.synchronizeNames(in: folder)
    #expect(files.leftovers(of: "/a/f") == [[5]])
    #expect(files.leftovers(of: "/a/g") == [nil])
  }

  @Test("Moving a file to another folder leaves one name or both, never neither")
  func move() throws {
    try files.rename("f", in: folder, to: "f", in: other)
    #expect(files.pathsLeft(.unordered) == [["/a/f"], ["/b/f"], ["/a/f", "/b/f"]])
    #expect(files.pathsLeft(.journaled) == [["/a/f"], ["/b/f"]])
    try files.synchronizeNames(in: other)
    #expect(files.pathsLeft(.unordered) == [["/b/f"], ["/a/f", "/b/f"]])
    #expect(files.pathsLeft(.journaled) == [["/b/f"]])
    try files.synchronizeNames(in: folder)
    #expect(files.pathsLeft(.unordered) == [["/b/f"]])
  }

  @Test("A journal keeps the order of names, and what came before a safe one")
  func journal() throws {
    for name in ["1", "2", "3"] { _ = try files.open(name, in: other, for: .creating) }
    try files.remove("f", in: folder)
    let journaled: Set<Set<String>> = [
      ["/a/f"], ["/a/f", "/b/1"], ["/a/f", "/b/1", "/b/2"], ["/a/f", "/b/1", "/b/2", "/b/3"],
      ["/b/1", "/b/2", "/b/3"],
    ]
    #expect(files.pathsLeft(.journaled) == journaled)
    #expect(files.pathsLeft(.unordered).count == 16)
    try files.synchronizeNames(in: folder)
    #expect(files.pathsLeft(.journaled) == [["/b/1", "/b/2", "/b/3"]])
    #expect(files.pathsLeft(.unordered).count == 8)
  }

  @Test("A folder that is not safe takes all that is in it along")
  func folders() throws {
    try files.makeFolder("sub", in: other)
    let sub = try files.open("sub", in: other, for: .folder)
    let new = try files.open("g", in: sub, for: .creating)
    try files.synchronize(new)
    try files.synchronizeNames(in: sub)
    #expect(files.pathsLeft(.unordered) == [["/a/f"], ["/a/f", "/b/sub/g"]])
    try files.synchronizeNames(in: other)
    #expect(files.pathsLeft(.unordered) == [["/a/f", "/b/sub/g"]])
  }

  @Test("What a failed synchronization left out is never safe again")
  func failedSynchronization() throws {
    try files.write([9], to: file, at: 0)
    files.schedule(DiskFault(.fails(5), kind: .synchronize))
    #expect(throws: SystemError("fdatasync", code: 5)) { try files.synchronize(file) }
    try files.write([8], to: file, at: 1)
    try files.synchronize(file)
    #expect(files.leftovers(of: "/a/f") == [[1, 8, 3, 4], [9, 8, 3, 4]])
  }

  @Test("Images are equal if the same paths hold the same bytes")
  func equality() throws {
    try files.rename("f", in: folder, to: "g", in: other)
    let image = DiskImage(files: ["/b/g": [1, 2, 3, 4]], folders: ["/a"])
    #expect(files.seenImage == image)
    #expect(image.replacing("/b/g", with: [1]) != image)
    #expect(image.replacing("/b/g", with: nil) == DiskImage(folders: ["/a", "/b"]))
    #expect(image["/b/g"] == [1, 2, 3, 4])
    #expect(SimulatedFileSystem(image).seenImage == image)
  }
}
