import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@Suite("Reading a store while another process writes it")
struct ReadingBesideWriterTests {
  private func options(_ access: Store.Options.Access) -> Store.Options {
    var options = Store.Options.standard
    options.sealing = TestSealing.inUse
    options.access = access
    options.readsBesideWriter = true
    options.segmentBytes = 1 << 12
    options.compaction = .manual
    return options
  }

  @Test("shows the commits up to some moment, whatever becomes of the files meanwhile")
  func prefixes() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store"
    let writer = try await Store.open(at: path, options: options(.readWrite))
    try await writer.edit { $0.set("x", of: "0", in: "c", to: 0) }
    let writing = Task.detached { [count = 400] in
      for number in 1..<count {
        try writer.edit { $0.set("x", of: "\(number)", in: "c", to: .int(Int64(number))) }
        if number % 7 == 0 { try writer.compact() }
      }
      return count
    }
    var (last, readings) = (0, 0)
    repeat {
      let reader = try await Store.open(at: path, options: options(.readOnly))
      let document = reader.document
      let count = document.records(in: "c").count
      try await reader.close()
      #expect(count >= last)
      // All that were written before the last one are there.
      #expect((0..<count).allSatisfy { document.contains("\($0)", in: "c") })
      (last, readings) = (count, readings + 1)
      // The writer may still wait for a thread.
      await Task.yield()
    } while last < 400 && readings < 10_000
    #expect(try await writing.value == 400)
    try await writer.close()
    #expect(try Store.verify(at: path, sealing: TestSealing.inUse).isSound)
  }

  @Test("is for those who ask for it, and changes nothing")
  func access() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store"
    let writer = try Store.open(at: path, options: options(.readWrite))
    try writer.edit { $0.set("x", of: "r", in: "c", to: 1) }
    var usual = options(.readOnly)
    usual.readsBesideWriter = false
    #expect(throws: StoreError.locked(path: path)) {
      try Store.open(at: path, options: usual)
    }
    #expect(throws: StoreError.locked(path: path)) {
      try Store.open(at: path, options: options(.readWrite))
    }
    let reader = try Store.open(at: path, options: options(.readOnly))
    #expect(reader.document == writer.document && reader.replica == writer.replica)
    #expect(throws: StoreError.readOnly(path: path)) {
      try reader.edit { $0.set("x", of: "s", in: "c", to: 1) }
    }
    #expect(throws: StoreError.locked(path: path)) { try reader.verify() }
    #expect(throws: StoreError.locked(path: path)) {
      try reader.backUp(to: folder.path + "/copy")
    }
    // A reader without the lock keeps nobody from writing.
    try writer.close()
    let next = try Store.open(at: path, options: options(.readWrite))
    try reader.close()
    #expect(throws: StoreError.locked(path: path)) {
      try Store.open(at: path, options: options(.readWrite))
    }
    try next.close()
  }
}
