import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

@Suite("Texts in documents")
struct DocumentTextTests {
  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text])])

  /// A replica of a document with a text.
  struct Writer {
    var document: Document
    let replica: ReplicaID
    var time: UInt64 = 0

    init(_ replica: UInt64, schema: Schema = DocumentTextTests.schema) {
      document = Document(schema: schema)
      self.replica = ReplicaID(replica)
    }

    @discardableResult
    mutating func edit(_ body: (inout Document.Editor) -> Void) -> TableDelta<Document> {
      time += 1
      return document.edit(at: HybridTimestamp(milliseconds: time, replica: replica), body)
    }

    var body: Document.Value? { document.value(of: "body", of: "n1", in: "notes") }

    mutating func set(_ string: String) {
      edit { $0.set("body", of: "n1", in: "notes", to: .string(string)) }
    }
  }

  @Test("two writers edit one text at the same time")
  func merge() {
    var (phone, laptop) = (Writer(1), Writer(2))
    phone.set("Hello world")
    laptop.document.merge(phone.document)
    phone.set("Hello, dear world")
    laptop.set("Hello world!")
    laptop.document.merge(phone.document)
    phone.document.merge(laptop.document)
    #expect(phone.body == "Hello, dear world!")
    #expect(laptop.body == "Hello, dear world!")
    #expect(phone.document.encoded() == laptop.document.encoded())
  }

  @Test("who writes what it had seen keeps what others have written since")
  func unseen() {
    var (phone, laptop) = (Writer(1), Writer(2))
    phone.set("one")
    laptop.document.merge(phone.document)
    let opened = phone.document.version
    laptop.set("one two")
    phone.document.merge(laptop.document)
    phone.edit { edit in
      edit.seeing(upTo: opened) {
        _ = $0.set("body", of: "n1", in: "notes", to: .string("zero one"))
      }
    }
    #expect(phone.body == "zero one two")
  }

  @Test("two copies that made the same field have one text")
  func sameField() {
    var (phone, laptop) = (Writer(1), Writer(2))
    phone.set("from the phone ")
    laptop.set("from the laptop ")
    phone.document.merge(laptop.document)
    laptop.document.merge(phone.document)
    #expect(phone.body == "from the phone from the laptop ")
    #expect(laptop.body == phone.body)
    phone.set("from both")
    laptop.document.merge(phone.document)
    #expect(laptop.body == "from both")
  }

  @Test("a string of another rule reads as the first content")
  func changedRule() {
    var old = Writer(1, schema: Schema())
    old.set("as it was")
    var new = Writer(2)
    new.document.merge(old.document)
    #expect(new.body == "as it was")
    new.edit {
      $0.apply(
        [.init("body", .assign("as it is", before: "as it was"))], to: "n1", in: "notes")
    }
    #expect(new.body == "as it is")
    // Without a rule, a text is a text.
    old.document.merge(new.document)
    #expect(old.body == "as it is")
    old.set("as it is now")
    new.document.merge(old.document)
    #expect(new.body == "as it is now")
  }

  @Test("a removed text goes, and what is written into it at the same time stays")
  func removal() {
    var (phone, laptop) = (Writer(1), Writer(2))
    phone.set("one two")
    laptop.document.merge(phone.document)
    phone.edit { $0.remove("body", of: "n1", in: "notes") }
    #expect(phone.body == nil)
    laptop.set("one two three")
    phone.document.merge(laptop.document)
    laptop.document.merge(phone.document)
    #expect(phone.body == " three")
    #expect(laptop.body == " three")
    phone.edit { $0.remove("body", of: "n1", in: "notes") }
    phone.set("new")
    #expect(phone.body == "new")
  }

  @Test("a deleted record keeps its text, a purged one doesn't")
  func purge() {
    var phone = Writer(1)
    phone.set("secret")
    phone.edit { $0.delete("n1", in: "notes") }
    #expect(phone.document.deletedFields(of: "n1", in: "notes") == ["body": "secret"])
    phone.edit { $0.restore("n1", in: "notes") }
    #expect(phone.body == "secret")
    phone.edit { $0.delete("n1", in: "notes") }
    phone.edit { $0.purge(retention: .zero) }
    let bytes = phone.document.encoded()
    #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
    phone.set("again")
    #expect(phone.body == "again")
  }

  @Test("another value in a text's place ends the text")
  func replaced() {
    var phone = Writer(1)
    phone.set("text")
    for value: Document.Value in [1, ["a": 1], [1, 2]] {
      phone.edit { $0.set("body", of: "n1", in: "notes", to: value) }
      #expect(phone.body == value)
      phone.set("again")
      #expect(phone.body == "again")
    }
  }

  @Test("changes of a model keep what others have written since")
  func model() throws {
    struct Note: Codable, Equatable {
      var body: String
    }
    var phone = Writer(1)
    phone.set("one\ntwo\nthree\n")
    let shown = try #require(try phone.document.read(Note.self, "n1", in: "notes"))
    var laptop = Writer(2)
    laptop.document.merge(phone.document)
    laptop.set("one\nTWO\nthree\n")
    phone.document.merge(laptop.document)
    var edited = shown
    edited.body = "zero\none\ntwo\nthree\nfour\n"
    phone.edit {
      _ = try? $0.write(edited, changedFrom: shown, to: "n1", in: "notes")
    }
    #expect(phone.body == "zero\none\nTWO\nthree\nfour\n")
  }

  @Test("texts of many records stay apart, from bytes too")
  func many() throws {
    var generator = SeededGenerator(seed: 7)
    var (phone, laptop) = (Writer(1), Writer(2))
    var expected: [String: String] = [:]
    for round in 0..<300 {
      let record = "n\(generator.below(20))"
      let string = (expected[record] ?? "") + "\(round) "
      expected[record] = string
      if round % 2 == 0 {
        phone.edit { $0.set("body", of: record, in: "notes", to: .string(string)) }
        laptop.document.merge(phone.document)
      } else {
        let delta = laptop.edit { $0.set("body", of: record, in: "notes", to: .string(string)) }
        try phone.document.apply(decoding: delta.encoded())
      }
      if round % 50 == 0 {
        laptop.document = try Document(
          decoding: laptop.document.encoded(), schema: Self.schema)
      }
    }
    for (record, string) in expected {
      #expect(phone.document.value(of: "body", of: record, in: "notes") == .string(string))
      #expect(laptop.document.value(of: "body", of: record, in: "notes") == .string(string))
    }
    #expect(phone.document.encoded() == laptop.document.encoded())
  }
}
