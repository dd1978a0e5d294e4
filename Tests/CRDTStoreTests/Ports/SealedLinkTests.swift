import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("Sealed links")
struct SealedLinkTests {
  /// A link that keeps what goes over it, and may be given what comes.
  private final class TappedLink: PeerLink {
    private let sent = Guarded<[[UInt8]]>([])
    private let (incoming, feed) = AsyncStream.makeStream(of: [UInt8].self)

    var frames: [[UInt8]] { sent.withLock { $0 } }

    func send(_ bytes: [UInt8]) async throws(PeerLinkError) { sent.withLock { $0.append(bytes) } }

    func give(_ bytes: [UInt8]) { feed.yield(bytes) }

    func receive() async throws(PeerLinkError) -> [UInt8]? {
      for await bytes in incoming { return bytes }
      return nil
    }

    func close() { feed.finish() }
  }

  private func link(_ tap: TappedLink, seed: UInt64, key: UInt64 = 1) -> SealedLink {
    var random = SeededGenerator(seed: seed)
    return SealedLink(tap, sealing: TestSealing(key: key), using: &random)
  }

  /// Frames that a peer sends, of which each holds its number.
  private func frames(_ count: Int, seed: UInt64 = 1) async throws -> [[UInt8]] {
    let tap = TappedLink()
    let sender = link(tap, seed: seed)
    for number in 0..<count { try await sender.send([UInt8(number), 77]) }
    return tap.frames
  }

  /// What somebody gets out of pieces, until they are refused or end.
  private func received(
    _ pieces: [[UInt8]], seed: UInt64 = 2, key: UInt64 = 1
  ) async -> ([UInt8], PeerLinkError?) {
    let tap = TappedLink()
    let receiver = link(tap, seed: seed, key: key)
    for piece in pieces { tap.give(piece) }
    tap.close()
    var bytes: [UInt8] = []
    do throws(PeerLinkError) {
      while let piece = try await receiver.receive() { bytes += piece }
      return (bytes, nil)
    } catch {
      // It stays so.
      let again = await Task { try await receiver.receive() }.result
      #expect(throws: error) { try again.get() }
      return (bytes, error)
    }
  }

  @Test("A sealed link keeps the contract of links")
  func contract() async {
    let found = await PeerLinkContract.check {
      let (first, second) = MemoryLink.makePair()
      let sealing = TestSealing()
      return (SealedLink(first, sealing: sealing), SealedLink(second, sealing: sealing))
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("What is sent comes, however it is cut, and can't be seen")
  func bytes() async throws {
    let tap = TappedLink()
    let sender = link(tap, seed: 1)
    let wanted = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 / 3) }
    try await sender.send(wanted)
    try await sender.send([])
    try await sender.send(Array("the-marker".utf8))
    let all = Array(tap.frames.joined())
    let marker = Array("the-marker".utf8)
    #expect(!all.indices.contains { all[$0...].starts(with: marker) })
    for size in [1, 3, 1_000, all.count] where size > 1 || isLongRun {
      let pieces = stride(from: 0, to: all.count, by: size).map {
        Array(all[$0..<min($0 + size, all.count)])
      }
      let (found, failure) = await received(pieces)
      #expect(found == wanted + marker && failure == nil, "\(size)")
    }
  }

  @Test("Any change, gap, repetition or exchange is refused where it begins")
  func changes() async throws {
    let frames = try await frames(4)
    let (all, failure) = await received(frames)
    #expect(all == [0, 77, 1, 77, 2, 77, 3, 77] && failure == nil)
    func expectPrefix(_ pieces: [[UInt8]], _ count: Int, _ name: String) async {
      let (found, failure) = await received(pieces)
      #expect(failure == .notAuthentic, "\(name): \(found)")
      #expect(found == Array(all.prefix(2 * count)), "\(name)")
    }
    await expectPrefix([frames[0], frames[2]], 1, "a gap")
    await expectPrefix([frames[0], frames[1], frames[1]], 2, "a repetition")
    await expectPrefix([frames[0], frames[2], frames[1], frames[3]], 1, "an exchange")
    await expectPrefix([frames[0], frames[0]], 1, "the beginning twice")
    for (number, frame) in frames.enumerated() {
      for place in frame.indices {
        var changed = frames
        changed[number][place] ^= 1 << UInt8(place % 8)
        let (found, failure) = await received(changed)
        #expect(failure == .notAuthentic, "byte \(place) of \(number): \(found)")
        // What comes after the peer's number opens only with it.
        #expect(all.starts(with: found) && found.count <= 2 * number, "byte \(place) of \(number)")
        guard place > 0 else { continue }
        await expectPrefix(
          frames[..<number] + [Array(frame[..<place])], number, "\(number) cut to \(place)")
      }
    }
    let (none, otherKey) = await received(frames, key: 2)
    #expect(none.isEmpty && otherKey == .notAuthentic)
    let (own, reflected) = await received(frames, seed: 1)
    #expect(own.isEmpty && reflected == .notAuthentic)
  }

  @Test("What was sent on one link is refused on another, once both had sent")
  func otherLinks() async throws {
    let (tap, answers) = (TappedLink(), try await frames(1, seed: 9))
    let sender = link(tap, seed: 1)
    try await sender.send([0])
    tap.give(answers[0])
    #expect(try await sender.receive() == [0, 77])
    try await sender.send([1])
    // To the one who answered they are right, and to nobody else.
    let right = await received(tap.frames, seed: 9)
    #expect(right.0 == [0, 1] && right.1 == nil)
    let wrong = await received(tap.frames, seed: 10)
    #expect(wrong.0 == [0] && wrong.1 == .notAuthentic)
  }

  @Test("A size that can't be is refused before it is waited for")
  func sizes() async throws {
    let first = try await frames(1)[0]
    var streams = SealedStreams(nonce: [])
    streams.take(first + [255, 255, 255, 127])
    #expect(try streams.nextIncoming(sizeMax: 1 << 20) != nil)
    #expect(throws: PeerLinkError.notAuthentic) { try streams.nextIncoming(sizeMax: 1 << 20) }
  }

  @Test("Who has sent for this link alone sends nothing any more that would open on others")
  func goingBack() async throws {
    var streams = SealedStreams(nonce: [])
    // An empty frame that is bound to the link, then one that isn't.
    streams.take(try await frames(1)[0] + [0, 0, 0, 128] + [0, 0, 0, 0])
    for _ in 0..<2 { #expect(try streams.nextIncoming(sizeMax: 1 << 20) != nil) }
    #expect(throws: PeerLinkError.notAuthentic) { try streams.nextIncoming(sizeMax: 1 << 20) }
  }

  /// A link that sends nothing the first time.
  private final class FailingLink: PeerLink {
    private let hasFailed = Guarded(false)

    func send(_ bytes: [UInt8]) async throws(PeerLinkError) {
      let isFirst = hasFailed.withLock { value in
        defer { value = true }
        return !value
      }
      if isFirst { throw .failed(reason: "once") }
    }

    func receive() async throws(PeerLinkError) -> [UInt8]? { nil }

    func close() {}
  }

  @Test("After a frame that may have been cut short nothing is sent")
  func cutShort() async {
    let link = SealedLink(FailingLink(), sealing: TestSealing())
    await #expect(throws: PeerLinkError.failed(reason: "once")) { try await link.send([1]) }
    await #expect(throws: PeerLinkError.self) { try await link.send([2]) }
  }

  @Test("A key that can't be had is said, and after it nothing is sent")
  func failingKey() async throws {
    let tap = TappedLink()
    let link = SealedLink(tap, sealing: TestSealing(failure: .key(.locked)))
    await #expect(throws: PeerLinkError.sealing(.key(.locked))) { try await link.send([1]) }
    await #expect(throws: PeerLinkError.self) { try await link.send([1]) }
    tap.give(try await frames(1)[0])
    await #expect(throws: PeerLinkError.sealing(.key(.locked))) { _ = try await link.receive() }
    #expect(tap.frames.isEmpty)
  }

  /// Opens a store with a document, in which one record was written.
  private func store(
    _ path: String, of document: UInt64, in stores: TestStores
  ) async throws -> Store {
    let store = try await stores.openForTasks(path) {
      $0.documentID = DocumentID(high: 0, low: document)
    }
    try await store.edit { $0.set("value", of: path, in: "c", to: 1) }
    return store
  }

  /// Keeps a store in sync over a link until that ends; gives why it did.
  private func end(of store: Store, over link: SealedLink) async -> (any Error)? {
    do {
      try await store.session().run(over: link)
      return nil
    } catch {
      return error
    }
  }

  @Test("Stores of two documents with one key refuse each other, and merge nothing")
  func documents() async throws {
    let ids = [1, 2].map { DocumentID(high: 0, low: $0) }
    for isNamed in [false, true] {
      let stores = TestStores()
      let left = try await store("/left", of: 1, in: stores)
      let right = try await store("/right", of: 2, in: stores)
      let (first, second) = MemoryLink.makePair()
      let mine = SealedLink(first, sealing: TestSealing(), document: isNamed ? ids[0] : nil)
      let theirs = SealedLink(second, sealing: TestSealing(), document: isNamed ? ids[1] : nil)
      async let leftEnd = end(of: left, over: mine)
      async let rightEnd = end(of: right, over: theirs)
      let ends = await [leftEnd, rightEnd]
      if isNamed {
        // What is sealed for one document doesn't open for another.
        #expect(ends.contains { $0 as? PeerLinkError == .notAuthentic })
      } else {
        #expect(
          ends.contains {
            $0 as? SyncFailure == .differentDocument(found: ids[1], own: ids[0])
              || $0 as? SyncFailure == .differentDocument(found: ids[0], own: ids[1])
          })
      }
      #expect(left.document.records(in: "c") == ["/left"])
      #expect(right.document.records(in: "c") == ["/right"])
      try await left.close()
      try await right.close()
    }
  }

  @Test("A key of a name is made where there is none, and makes a sealing")
  func keys() async throws {
    let provider = FakeKeyProvider()
    let sealing = try await provider.sealing(keyNamed: "notes") {
      InsecureSealing(insecurelyWith: $0)
    }
    let key = try #require(try await provider.key(named: "notes"))
    #expect(key.bytes.count == 32)
    let sealed = try sealing.seal([1, 2], for: [])
    #expect(try InsecureSealing(insecurelyWith: key).open(sealed, for: []) == [1, 2])
    provider.failure = .locked
    await #expect(throws: KeyProviderError.locked) {
      _ = try await provider.sealing(keyNamed: "notes") { InsecureSealing(insecurelyWith: $0) }
    }
  }
}
