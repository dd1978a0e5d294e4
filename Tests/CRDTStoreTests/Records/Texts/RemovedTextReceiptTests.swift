import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@testable import CRDTKit

/// A model with two texts.
private struct Letter: Replicated, Codable, Identifiable {
  let id: String
  var body = ""
  var title = ""

  static let collection = "letters"
  static let rules = Rules([CodingKeys.body: .text, CodingKeys.title: .text])
}

/// Receipts that no commit has made: what they say of removed text is refused, or an undo does
/// nothing but what is right.
@Suite("Receipts that tell wrongly what a commit removed from texts")
struct RemovedTextReceiptTests {
  /// A piece of removed text, as the bytes of a receipt name it.
  private struct Piece {
    var first: Dot
    var text: String
  }

  private typealias Text = (path: FieldPath, pieces: [Piece])

  /// A store in which "two " was removed from "one two three".
  private struct World {
    let store: Store
    let receipt: Store.Receipt
    /// The elements of both texts, as they were.
    let body: [Dot]
    let title: [Dot]

    init(_ stores: TestStores) async throws {
      store = try await Store.open(at: "/store", for: Letter.self, options: stores.options)
      let letter = Letter(id: "s", body: "one two three", title: "title")
      try await store.write { try $0.create(letter) }
      (body, title) = (
        World.elements(of: "body", in: store), World.elements(of: "title", in: store)
      )
      receipt = try await store.write { tx in
        try tx.update(Letter.self, "s") { $0.body = "one three" }
      }
    }

    private static func elements(of path: FieldPath, in store: Store) -> [Dot] {
      guard let text = store.document.text(of: path, of: "s", in: Letter.collection) else {
        return []
      }
      var dots: [Dot] = []
      text._table.forEachCharacter(ofTextAt: text._start) { dots.append($0) }
      return dots
    }

    /// The elements that were removed, and their text.
    var removed: Piece { Piece(first: body[4], text: "two ") }

    func bytes() throws -> [UInt8] { try bytes(of: receipt) }

    func bytes(of receipt: Store.Receipt) throws -> [UInt8] {
      let text = try JSONDecoder().decode(String.self, from: JSONEncoder().encode(receipt))
      return Array(try #require(Data(base64Encoded: text)))
    }

    /// A receipt that tells something else of what was removed.
    func receipt(_ texts: [Text]) throws -> Store.Receipt {
      let tail = RemovedTextReceiptTests.bytes([("body", [removed])])
      let bytes = try bytes()
      #expect(bytes.suffix(tail.count).elementsEqual(tail))
      return try decode(bytes.dropLast(tail.count) + RemovedTextReceiptTests.bytes(texts))
    }

    func decode(_ bytes: [UInt8]) throws -> Store.Receipt {
      try JSONDecoder().decode(
        Store.Receipt.self, from: JSONEncoder().encode(Data(bytes).base64EncodedString()))
    }

    func letter() throws -> Letter { try #require(try store.get(Letter.self, "s")) }
  }

  private static func bytes(_ texts: [Text]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(varint: UInt64(texts.count))
    for text in texts {
      text.path.names.encode(to: &writer)
      writer.write(varint: UInt64(text.pieces.count))
      for piece in text.pieces {
        piece.first.replica.encode(to: &writer)
        writer.write(varint: piece.first.counter)
        piece.text.encode(to: &writer)
      }
    }
    return writer.finish()
  }

  private let stores = TestStores()

  @Test("elements that are named twice, out of order, or in pieces that are one")
  func refused() async throws {
    let world = try await World(stores)
    let two = world.removed
    func piece(_ offset: Int, _ text: String) -> Piece {
      Piece(first: Dot(two.first.replica, two.first.counter + UInt64(offset)), text: text)
    }
    let odd: [String: [Text]] = [
      "a piece twice": [("body", [two, two])],
      "overlapping": [("body", [two, piece(1, "wo")])],
      "overlapping at an end": [("body", [piece(0, "tw"), piece(1, "wo ")])],
      "within": [("body", [piece(1, "w"), two])],
      "descending": [("body", [piece(2, "o "), piece(0, "t")])],
      "descending, and one": [("body", [piece(2, "o "), piece(0, "tw")])],
      "in two": [("body", [piece(0, "tw"), piece(2, "o ")])],
      "replicas descending": [("body", [two, Piece(first: Dot(ReplicaID(0), 1), text: "x")])],
      "a field twice": [("body", [two]), ("body", [two])],
      "a field twice, otherwise": [("body", [two]), ("body", [])],
      "fields out of order": [("title", []), ("body", [two])],
      "no text": [("body", [piece(0, "")])],
      "no event": [("body", [Piece(first: Dot(two.first.replica, 0), text: "x")])],
      "past the last event": [
        ("body", [Piece(first: Dot(two.first.replica, Dot.counterMax), text: "xy")])
      ],
      "no field": [([], [two])],
    ]
    for (what, texts) in odd {
      #expect(throws: DecodingError.self, "\(what)") { try world.receipt(texts) }
    }
    #expect(try world.receipt([("body", [two])]) == world.receipt)
    try await world.store.close()
  }

  @Test("counts of which there can't be so many are refused before anything is made")
  func counts() async throws {
    let world = try await World(stores)
    let tail = Self.bytes([("body", [world.removed])])
    let head = Array(try world.bytes().dropLast(tail.count))
    for count: UInt64 in [1 << 20, 1 << 40, 1 << 62, .max] {
      var texts = ByteWriter()
      var pieces = ByteWriter()
      var text = ByteWriter()
      texts.write(varint: count)
      pieces.write(varint: 1)
      ["body"].encode(to: &pieces)
      pieces.write(varint: count)
      text.write(varint: 1)
      ["body"].encode(to: &text)
      text.write(varint: 1)
      world.removed.first.replica.encode(to: &text)
      text.write(varint: world.removed.first.counter)
      text.write(varint: count)
      for bytes in [texts.finish(), pieces.finish(), text.finish()] {
        #expect(throws: DecodingError.self) { try world.decode(head + bytes) }
      }
    }
    try await world.store.close()
  }

  @Test("living elements, those of another text, and those that aren't there bring back no text")
  func harmless() async throws {
    for way in 0..<7 {
      let stores = TestStores()
      let world = try await World(stores)
      let (two, replica) = (world.removed, world.store.replica)
      let first = Piece(first: world.body[0], text: "X")
      let last = Piece(first: world.body[12], text: "Y")
      let (texts, expected): ([Text], String) =
        switch way {
        case 0: ([("body", [first, two])], "one two three")
        case 1: ([("body", [first, two, last])], "one two three")
        case 2: ([("body", [Piece(first: world.body[0], text: "ABC")])], "one three")
        // What was removed isn't known, so it follows from the difference of the strings.
        case 3: ([("body", [Piece(first: world.title[0], text: "t")])], "one two three")
        case 4:
          ([("body", [two, Piece(first: Dot(replica, 1 << 40), text: "x")])], "one two three")
        case 5: ([("title", [two])], "one two three")
        default: ([("body", [Piece(first: two.first, text: "two")])], "one twothree")
        }
      let bodies = world.body.sorted()
      #expect(bodies == world.body)
      let receipt = try world.receipt(texts)
      try await world.store.undo(receipt)
      let letter = try world.letter()
      #expect(letter.body == expected, "way \(way)")
      #expect(letter.title == "title")
      try await world.store.close()
      let again = try await Store.open(at: "/store", for: Letter.self, options: stores.options)
      #expect(try again.get(Letter.self, "s")?.body == expected, "way \(way)")
      try await again.close()
    }
  }

  @Test("two changes of a record that say different things of what was removed are refused")
  func changes() async throws {
    let world = try await World(stores)
    try await world.store.write { try $0.create(Letter(id: "\u{1}", body: "one two")) }
    let receipt = try await world.store.write { tx in
      try tx.update(Letter.self, "s") { $0.body = "one" }
      try tx.update(Letter.self, "\u{1}") { $0.body = "one" }
    }
    let bytes = try world.bytes(of: receipt)
    #expect(try world.decode(bytes) == receipt)
    // The other record becomes the same.
    let names = bytes.indices.filter {
      bytes[$0...].starts(with: [7] + Array("letters".utf8) + [1, 1])
    }
    #expect(names.count == 1)
    var changed = bytes
    changed[try #require(names.first) + 9] = UInt8(ascii: "s")
    #expect(throws: DecodingError.self) { try world.decode(changed) }
    try await world.store.close()
  }

  @Test("an undo makes two events at most for each element that is missing, in however many pieces")
  func manyPieces() async throws {
    let store = try await Store.open(at: "/store", for: Letter.self, options: stores.options)
    let count = 2_000
    let whole = String(repeating: "ab", count: count)
    try await store.write { try $0.create(Letter(id: "s", body: whole)) }
    let receipt = try await store.write { tx in
      try tx.update(Letter.self, "s") { $0.body = String(repeating: "a", count: count) }
    }
    let kept = try JSONDecoder().decode(
      Store.Receipt.self, from: JSONEncoder().encode(receipt))
    #expect(kept == receipt)
    let before = store.document._table.seen(of: store.replica)
    try await store.undo(kept)
    #expect(try store.get(Letter.self, "s")?.body == whole)
    // Where each piece ends, an event is left out, and there are a few rows.
    let made = store.document._table.seen(of: store.replica) - before
    #expect(made <= UInt64(2 * count) + 4, "\(made) events")
    try await store.close()
  }
}
