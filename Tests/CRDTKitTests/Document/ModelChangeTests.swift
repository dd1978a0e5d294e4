import CRDTKit
import Testing

/// A model that was held while others' changes came in writes only its own.
@Suite("Changes of a model that was read before")
struct ModelChangeTests {
  struct Note: Codable, Equatable {
    struct Place: Codable, Equatable {
      var city: String
      var zip: Int?
    }

    var title = "Moon"
    var body = ""
    var tags: Set<String> = ["a", "b"]
    var likes = 1
    var place = Place(city: "Oslo", zip: 1)
    var scores = ["x": 1, "y": 2]
  }

  private static let schema = Schema(collections: [
    "notes": Schema.Collection(fields: ["body": .manual, "tags": .set, "likes": .counter])
  ])

  @Test("others' changes stay, in every kind of field")
  func held() throws {
    var notes = Document(schema: Self.schema)
    try notes.write(Note(), to: "n", in: "notes", at: DocumentTests.at(1))
    let asRead = try #require(try notes.read(Note.self, "n", in: "notes"))
    var mine = asRead

    var other = notes
    var theirs = asRead
    theirs.body = "There was a lake."
    theirs.tags = ["a", "c"]
    theirs.likes = 4
    theirs.place.zip = 7
    theirs.scores = ["x": 1, "z": 3]
    try other.write(
      theirs, changedFrom: asRead, to: "n", in: "notes",
      at: DocumentTests.at(2, DocumentTests.laptop))
    notes.merge(other)

    mine.title = "Full moon"
    mine.tags.insert("d")
    mine.likes += 2
    mine.place.city = "Bergen"
    mine.scores["x"] = nil
    try notes.write(mine, changedFrom: asRead, to: "n", in: "notes", at: DocumentTests.at(3))
    #expect(
      try notes.read(Note.self, "n", in: "notes")
        == Note(
          title: "Full moon", body: "There was a lake.", tags: ["a", "c", "d"], likes: 6,
          place: Note.Place(city: "Bergen", zip: 7), scores: ["z": 3]))
    #expect(notes.conflicts.isEmpty)

    // Writing what is held against nothing changed changes nothing.
    let before = notes
    try notes.write(mine, changedFrom: mine, to: "n", in: "notes", at: DocumentTests.at(4))
    #expect(notes == before)
  }

  @Test("a dictionary as a record loses the entries that it has no more")
  func dictionaries() throws {
    var document = Document()
    try document.write(["a": 1, "b": 2], to: "d", in: "maps", at: DocumentTests.at(1))
    #expect(
      try document.dirtyFields(of: ["a": 1], comparedTo: "d", in: "maps") == ["b"])
    try document.write(["a": 1], to: "d", in: "maps", at: DocumentTests.at(2))
    #expect(document.fields(of: "d", in: "maps") == ["a": 1])
  }

  @Test("names that are too long are an error, and rules too deep or unknown are")
  func bounds() throws {
    var document = Document()
    let long = String(repeating: "a", count: Document.Value.maximumNameLength + 1)
    #expect(throws: EncodingError.self) {
      try document.write([long: 1], to: "d", in: "maps", at: DocumentTests.at(1))
    }
    #expect(document == Document())
    let deep = FieldPath(Array(repeating: "a", count: 300_000))
    #expect(Schema.Collection(fields: [deep: .max]).rule(of: "a") == .lastWriterWins)
  }
}
