import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// What goes to a server and comes from it, as JSON of other shapes than Swift's own.
@Suite("The format of servers")
struct ServerFormatTests {
  private struct Everything: Replicated, Equatable {
    let id: String
    var due = Date(timeIntervalSinceReferenceDate: 817_050_693.52)
    var done: Date?
    var price = Decimal(string: "12.5") ?? 0
    var discount: Decimal?
    var link = URL(string: "https://a.example/x?y=1")
    var photo = Data([1, 2, 3])
    var key = UUID(uuidString: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11") ?? UUID()
    var ratio = 0.5
    var count = 3
    var tags: Set<String> = []
    var days: [Date] = []
    var place = Place()
    var note: String?

    struct Place: Codable, Equatable {
      var city = ""
      var since: Date?
    }

    static let collection = "things"
    static let serverAccess = ServerAccess.queued
  }

  /// The reference server, and JSON both ways.
  private actor JSONTransport: Outbox.Transport {
    var service = ReferenceService()
    var sent: [String] = []

    func edit(_ name: String, _ json: String) throws {
      guard case .object(let fields) = try JSON.read(json) as Document.Value else { return }
      service.server.edit(Document.RecordID(name, in: "things"), fields)
    }

    func record(_ name: String) -> Outbox.ServerRecord? {
      service.server.record(Document.RecordID(name, in: "things"))
    }

    func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
      do {
        let text = try JSON.text(operations)
        sent.append(text)
        return try JSON.read(JSON.text(service.push(JSON.read(text))))
      } catch {
        throw error as? RemoteError ?? RemoteError(.unknown, "\(error)")
      }
    }

    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
      do {
        return try JSON.read(JSON.text(service.pull(JSON.read(JSON.text(request)))))
      } catch {
        throw error as? RemoteError ?? RemoteError(.unknown, "\(error)")
      }
    }
  }

  private enum JSON {
    static func text(_ value: some Encodable) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func read<Value: Decodable>(_ text: String) throws -> Value {
      try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
  }

  private func open(_ stores: TestStores, _ path: String) async throws -> Store {
    try await Store.open(at: path, for: Everything.self, options: stores.options)
  }

  @Test("Models of all kinds of fields come back from a JSON server as they were")
  func roundTrip() async throws {
    let (stores, transport) = (TestStores(), JSONTransport())
    let (one, two) = (try await open(stores, "/one"), try await open(stores, "/two"))
    let (here, there) = (one.outbox(over: transport), two.outbox(over: transport))
    var thing = Everything(id: "t", tags: ["x"])
    try await one.write { try $0.create(thing) }
    #expect(await here.sync().isComplete)
    #expect(await there.sync().isComplete)
    #expect(try two.get(Everything.self, "t") == thing)
    thing.due = Date(timeIntervalSinceReferenceDate: -0.25)
    thing.done = Date(timeIntervalSince1970: 0)
    thing.discount = Decimal(string: "-0.05")
    thing.days = [thing.due, Date(timeIntervalSinceReferenceDate: 1e9)]
    thing.place = .init(city: "Oslo", since: thing.due)
    thing.note = "n"
    thing.tags = ["y"]
    let changed = thing
    try await two.write { try $0.update(Everything.self, "t") { $0 = changed } }
    #expect(await there.sync().isComplete)
    #expect(await here.sync().isComplete)
    #expect(try one.get(Everything.self, "t") == thing)
    // What comes back says nothing new, so nothing is written.
    let version = one.document.version
    #expect(await here.sync().isComplete)
    #expect(one.document.version == version)

    let json = await transport.sent.joined()
    for inside in ["$timestamp", "mantissa", "exponent", "\"relative\""] {
      #expect(!json.contains(inside), "\(inside)")
    }
    for text in [
      "\"due\":\"2026-11-22T14:31:33.52Z\"", "\"price\":\"12.5\"",
      "\"photo\":{\"$bytes\":\"AQID\"}",
      "\"link\":\"https://a.example/x?y=1\"", "\"done\":\"1970-01-01T00:00:00Z\"",
      "\"place.since\":\"2000-12-31T23:59:59.75Z\"", "\"schemaVersion\":2",
    ] {
      #expect(json.contains(text), "\(text)")
    }
  }

  @Test("Dates, decimals, bytes and UUIDs of a server come out as such, in its spelling")
  func serverSpellings() async throws {
    let (stores, transport) = (TestStores(), JSONTransport())
    let store = try await open(stores, "/one")
    let outbox = store.outbox(over: transport)
    let before = Everything(id: "t")
    try await store.write { try $0.create(before) }
    #expect(await outbox.sync().isComplete)
    try await transport.edit(
      "t",
      """
      {"due": "2026-11-24T22:13:00+01:00", "done": 1700000000500, "price": "12.50",
       "discount": 0.1, "photo": "AQI=", "key": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
       "days": ["2001-01-01T00:00:01Z"], "ratio": 1}
      """)
    #expect(await outbox.sync().isComplete)
    let read = try #require(try store.get(Everything.self, "t"))
    #expect(read.due == Date(timeIntervalSince1970: 1_795_554_780))
    #expect(read.done == Date(timeIntervalSince1970: 1_700_000_000.5))
    #expect((read.price, read.discount) == (before.price, Decimal(string: "0.1")))
    #expect((read.photo, read.key, read.ratio) == (Data([1, 2]), before.key, 1))
    #expect(read.days == [Date(timeIntervalSinceReferenceDate: 1)])
    let document = store.document
    #expect(document.value(of: "due", of: "t", in: "things") == .timestamp(817_247_580))
    #expect(document.value(of: "price", of: "t", in: "things") == "12.5")
    #expect(document.value(of: "photo", of: "t", in: "things") == .bytes([1, 2]))
  }

  @Test("A text that looks like a moment stays a text in a field of texts")
  func texts() async throws {
    let (stores, transport) = (TestStores(), JSONTransport())
    let store = try await open(stores, "/one")
    try await store.write { try $0.create(Everything(id: "t", note: "2026-11-24T22:13:00Z")) }
    #expect(await store.outbox(over: transport).sync().isComplete)
    try await transport.edit("t", #"{"note": "2001-01-01T00:00:00Z"}"#)
    #expect(await store.outbox(over: transport).sync().isComplete)
    #expect(try store.get(Everything.self, "t")?.note == "2001-01-01T00:00:00Z")
  }

  @Test("What a newer version wrote is refused, and says so; what has no version is read")
  func versions() throws {
    let id = Outbox.OperationID(
      dot: Dot(ReplicaID(0xA1), 10), record: Document.RecordID("n1", in: "notes"))
    let record = Outbox.ServerRecord(record: id.record, version: "1", fields: ["title": "x"])
    try check(
      Outbox.Envelope(id: id, kind: .delete, createdMilliseconds: 1, changes: []), newest: 3)
    // A reader that doesn't know of edits would take their fields as removed.
    var edited = Outbox.Envelope(id: id, kind: .update, createdMilliseconds: 1, changes: [])
    edited.edits = ["title": [Outbox.Edit(replaced: 0..<1, inserted: "y")]]
    try check(edited, version: 3, newest: 3)
    try check(Outbox.Answer(id, .accepted(serverVersion: "1")))
    try check(Outbox.PullRequest(collection: "notes"))
    try check(Outbox.PullPage(records: [record], cursor: [1], hasMore: false))
    try check(record)
  }

  private func check<Value: Codable & Equatable>(
    _ value: Value, version: Int = 2, newest: Int = 2
  ) throws {
    let json = try JSON.text(value)
    let version = "\"schemaVersion\":\(version)"
    #expect(json.contains(version))
    for known in [json, json.replacing(version, with: "\"schemaVersion\":1")] {
      #expect(try JSON.read(known) as Value == value)
    }
    let bare = json.replacing(version + ",", with: "").replacing("," + version, with: "")
    #expect(try JSON.read(bare) as Value == value)
    for unknown in [0, newest + 1, -1] {
      let newer = json.replacing(version, with: "\"schemaVersion\":\(unknown)")
      let error = #expect(throws: DecodingError.self) { try JSON.read(newer) as Value }
      #expect("\(error as Any)".contains("reads 1 to \(newest)"))
    }
  }

  @Test("Each example of the article is what is written and read")
  func article() throws {
    let path =
      #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
      + "/Sources/CRDTStore/CRDTStore.docc/ServerFormat.md"
    let parts = try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "```", omittingEmptySubsequences: false)
    let examples = parts.enumerated().filter {
      $0.offset % 2 == 1 && $0.element.hasPrefix("json\n")
    }
    .map { String($0.element.dropFirst(5)) }
    #expect(examples.count == 10)
    for example in examples {
      let again: String
      if example.contains("\"operationId\"") {
        again =
          example.contains("\"outcome\"")
          ? try JSON.text(JSON.read(example) as Outbox.Answer)
          : try JSON.text(JSON.read(example) as Outbox.Envelope)
      } else if example.contains("\"records\"") {
        again = try JSON.text(JSON.read(example) as Outbox.PullPage)
      } else if example.contains("\"limit\"") {
        again = try JSON.text(JSON.read(example) as Outbox.PullRequest)
      } else {
        again = try JSON.text(JSON.read(example) as Outbox.ServerRecord)
      }
      let plain: Document.Value = try JSON.read(example)
      #expect(plain == (try JSON.read(again)), "\(example)\n\(again)")
    }
  }
}
