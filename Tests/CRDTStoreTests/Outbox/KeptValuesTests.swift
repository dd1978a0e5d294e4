import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What a store keeps of operations and of a server: read as *File format* says, and gone
/// when it is no longer needed.
@Suite("What is kept for a server")
struct KeptValuesTests {
  private func values(of store: Store, in area: String) -> [(name: String, bytes: [UInt8])] {
    store.localValues.filter { $0.key.hasPrefix(area + "/") }.sorted { $0.key < $1.key }
      .map { (String($0.key.dropFirst(area.count + 1)), $0.value) }
  }

  @Test("Operations are kept as the article says")
  func operations() async throws {
    let app = try await Scenario()
    try await app.store.write { tx in
      try tx.create(ScenarioNote(id: "n1", title: "Moon", tags: ["a"], likes: 3))
      try tx.create(ScenarioContact(id: "c1", name: "Ada", email: "a@x"))
    }
    #expect(await app.outbox.sync().isComplete)
    await app.server { $0.server.rejectedFields = ["title": "is forbidden"] }
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { note in
        note.title = String(repeating: "x", count: 80)
        note.tags = ["é"]
        note.likes = -300
      }
    }
    _ = await app.outbox.sync()
    #expect(app.outbox.deadLetters.count == 1)
    await app.goOffline()
    try await app.store.write { try $0.delete(ScenarioContact.self, "c1") }

    let kept = values(of: app.store, in: "outbox")
    let known = try app.store.localValues.filter { $0.key.hasPrefix("outbox/") }
      .sorted { $0.key < $1.key }.map { try Outbox.Operation(decoding: $0.value) }
    #expect(kept.count == 2)
    for ((name, bytes), operation) in zip(kept, known) {
      #expect(name.count == 8 && UInt64(name, radix: 32) != nil)
      var reader = ArticleReader(bytes)
      let version = try reader.byte()
      let (replica, counter) = (try reader.word(), try reader.varint())
      let (collection, record) = (try reader.text(), try reader.text())
      let (first, more) = (try reader.varint(), try reader.varint())
      let kinds: [Outbox.OperationKind] = [.create, .update, .delete]
      let kind = kinds[Int(try reader.byte())]
      let created = try reader.varint()
      let changes = try reader.list { try $0.change() }
      let base = try reader.optional { try $0.text() }
      let (attempts, next) = (try reader.varint(), try reader.varint())
      #expect(version == 1)
      #expect(Dot(ReplicaID(replica), counter) == operation.id.dot)
      #expect(Document.RecordID(record, in: collection) == operation.record)
      #expect(first...(first + more) == operation.dots)
      #expect(kind == operation.kind && created == operation.createdMilliseconds)
      #expect(changes == operation.changes)
      #expect(base == operation.baseVersion)
      #expect(attempts == UInt64(operation.attempts) && next == operation.nextAttemptMilliseconds)
      let failure = try reader.optional { reader in
        let (cause, message) = (try reader.text(), try reader.text())
        let issues = try reader.list { reader in
          Outbox.FieldIssue(FieldPath(try reader.list { try $0.text() }), try reader.text())
        }
        guard let cause = Outbox.Failure.Cause(rawValue: cause) else {
          throw ArticleReader.Damage(reason: "an unknown cause")
        }
        return Outbox.Failure(cause, message: message, issues: issues)
      }
      #expect(failure == operation.failure)
      #expect(reader.isAtEnd)
    }
    #expect(known.contains { $0.failure != nil } && known.contains { $0.kind == .delete })
  }

  @Test("What a server has is kept as the article says")
  func serverFields() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.serverEdits(
      ScenarioNote.self, "n1", ["title": "Sun", "body": .string(String(repeating: "b", count: 70))])
    #expect(await app.outbox.sync().isComplete)
    let fields = try #require(await app.remote(ScenarioNote.self, "n1"))
    let (name, bytes) = try #require(values(of: app.store, in: "server").first)
    #expect(name == "5/notes/n1")
    var reader = ArticleReader(bytes)
    let (collection, record) = (try reader.text(), try reader.text())
    let version = try reader.optional { try $0.text() }
    let (marks, form) = (try reader.byte(), try reader.byte())
    #expect(collection == "notes" && record == "n1")
    #expect(version == "2" && marks == 2 && form == 0)
    let known = try reader.list { [try $0.take(2), try $0.take(16)] }
    #expect(reader.isAtEnd)
    let expected = fields.map { name, value -> [[UInt8]] in
      let mark = UInt16(truncatingIfNeeded: ArticleFingerprint.of(name) >> 48)
      var writer = ByteWriter()
      name.encode(to: &writer)
      value.encode(to: &writer)
      return [
        [UInt8(truncatingIfNeeded: mark), UInt8(mark >> 8)],
        Self.beginning(of: writer.withBytes { SHA256.digest(of: $0) }),
      ]
    }
    #expect(Set(known) == Set(expected))
    #expect(known.count == fields.count)
  }

  /// The first 16 bytes of a digest.
  private static func beginning(of digest: SHA256.Digest) -> [UInt8] {
    [digest.first, digest.second].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
    }
  }

  @Test("What is known of a server's record goes when the record is purged")
  func purged() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    try await app.syncedNote(ScenarioNote(id: "n2"))
    try await app.syncedNote(ScenarioNote(id: "n3"))
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    await app.serverEdits(ScenarioNote.self, "n3", [:], isDeleted: true)
    #expect(await app.outbox.sync().isComplete)
    try await app.store.compact()
    let all = ["5/notes/n1", "5/notes/n2", "5/notes/n3"]
    #expect(values(of: app.store, in: "server").map(\.name) == all)
    app.pass(31 * 86_400_000)
    try await app.store.compact()
    #expect(values(of: app.store, in: "server").map(\.name) == ["5/notes/n2"])
    #expect(app.store.statuses.first { $0.collection == "notes" }?.serverCount == 1)
    // A record that is made again under the name is its own.
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "again")) }
    let made = try app.store.localValues.filter { $0.key.hasPrefix("outbox/") }
      .map { try Outbox.Operation(decoding: $0.value) }
    #expect(made.map(\.kind) == [.create] && made.allSatisfy { $0.baseVersion == nil })
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    // Nor does it come back when the app is started anew, or by a pull.
    let again = try await app.killed()
    #expect(values(of: again.store, in: "server").map(\.name) == ["5/notes/n2"])
    #expect(await again.outbox.sync().isComplete)
    #expect(again.store.all(ScenarioNote.self).map(\.id) == ["n2"])
  }
}

/// The fingerprint of a text's bytes, as *Binary format* says.
private enum ArticleFingerprint {
  static func of(_ text: String) -> UInt64 {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func fold(_ word: UInt64) {
      let product = (state ^ word) &* 0xFF51_AFD7_ED55_8CCD
      state = product << 29 | product >> 35
    }
    let bytes = Array(text.utf8)
    // Eight bytes at a time, then the rest, which may be nothing.
    for start in stride(from: 0, through: bytes.count, by: 8) {
      let group = bytes[start..<min(start + 8, bytes.count)]
      fold(group.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    fold(UInt64(bytes.count))
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
