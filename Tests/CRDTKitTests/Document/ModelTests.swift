import CRDTKit
import Foundation
import Testing

@Suite struct ModelTests {
  struct Note: Codable, Equatable {
    struct Address: Codable, Equatable {
      var city: String
      var zip: Int?
    }

    enum Status: Codable, Equatable {
      case draft
      case sent(to: String, copies: Int)
    }

    enum Colour: String, Codable { case red, green }

    struct Money: Codable, Equatable, WholeValue {
      var amount: Int
      var currency: String
    }

    var title: String
    var likes = 0
    var tags: Set<String> = []
    var address: Address?
    var scores: [String: Int] = [:]
    var places: [Int: Address] = [:]
    var lines: [Address] = []
    var status = Status.draft
    var colour = Colour.red
    var price = Money(amount: 1, currency: "NOK")
    var when = Date(timeIntervalSinceReferenceDate: 1.1)
    var link: URL?
    var data = Data([1, 2, 255])
    var decimal = Decimal(string: "12345678901234567890.123")
    var big = Int128.max
    var wide = UInt64.max
    var small: UInt8 = 7
    var half: Float = 0.1
    var ratio = 0.1
    var flag: Bool?
    var id = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
  }

  static let schema = Schema(collections: [
    "notes": Schema.Collection(fields: ["tags": .set, "likes": .counter])
  ])

  @Test func everyKindOfFieldComesBack() throws {
    var document = Document(schema: Self.schema)
    var note = Note(title: "Moon")
    try document.write(note, to: "n", in: "notes", at: DocumentTests.at(1))
    #expect(try document.read(Note.self, "n", in: "notes") == note)
    note.address = Note.Address(city: "Oslo", zip: nil)
    note.scores = ["é": 1, "b": -2]
    note.places = [3: Note.Address(city: "Bergen", zip: 5)]
    note.lines = [Note.Address(city: "Odda", zip: 1)]
    note.status = .sent(to: "you", copies: 2)
    note.link = URL(string: "https://example.org/a?b")
    note.tags = ["x", "y"]
    note.likes = 5
    note.flag = false
    let copy = try Document(decoding: document.encoded())
    #expect(copy == document)
    try document.write(note, to: "n", in: "notes", at: DocumentTests.at(2))
    #expect(try document.read(Note.self, "n", in: "notes") == note)
    #expect(try document.dirtyFields(of: note, comparedTo: "n", in: "notes").isEmpty)
    note.address?.city = "Voss"
    note.flag = nil
    note.scores["b"] = nil
    note.tags.remove("x")
    note.likes = 3
    note.status = .sent(to: "me", copies: 2)
    let dirty: [FieldPath] = ["likes", "tags", "address.city", "scores.b", "status", "flag"]
    #expect(
      Set(try document.dirtyFields(of: note, comparedTo: "n", in: "notes")) == Set(dirty))
    try document.edit(at: DocumentTests.at(3)) { edit in
      let changed = try edit.write(note, to: "n", in: "notes")
      #expect(Set(changed) == Set(dirty))
    }
    #expect(try document.read(Note.self, "n", in: "notes") == note)
    let data = try Document(decoding: document.encoded())
    #expect(data == document)
  }
}
