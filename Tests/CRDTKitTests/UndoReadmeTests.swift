import CRDTKit
import Testing

/// What the article on types shows of undo.
@Suite("The article on undo")
struct UndoReadmeTests {
  private let phone = ReplicaID(0xF0)
  private let laptop = ReplicaID(0x1A)

  @Test("undo does what the article says")
  func undo() {
    // [README]
    var note = ReplicatedText("Milk", by: laptop)
    var history = UndoStack(for: phone)
    history.edit(&note) { $0.set(to: "Oat drink") }

    // Others write meanwhile.
    var other = note
    other.append(", bread", by: laptop)
    note.merge(other)

    history.undo(in: &note)
    let undone = String(note)  // "Milk, bread"
    history.redo(in: &note)
    let redone = String(note)  // "Oat drink, bread"
    // [end]
    #expect(undone == "Milk, bread")
    #expect(redone == "Oat drink, bread")
  }

  @Test("texts of documents are undone as the article says")
  func documents() {
    let schema = Schema(collections: ["notes": Schema.Collection(fields: ["body": .text])])
    var document = Document(schema: schema)
    var clock = HybridLogicalClock(replica: phone)
    let wall: UInt64 = 1_700_000_000_000
    var history = UndoStack(for: phone)
    document.edit(at: clock.now(wallMilliseconds: wall)) {
      $0.set("body", of: "n1", in: "notes", to: "Hi. ")
    }
    // [README]
    document.edit(at: clock.now(wallMilliseconds: wall)) { edit in
      edit.editText("body", of: "n1", in: "notes") { body in
        history.edit(&body) { $0.append("Hello") }
        history.undo(in: &body)
      }
    }
    // [end]
    #expect(document.text(of: "body", of: "n1", in: "notes").map { String($0) } == "Hi. ")
    #expect(history.canRedo)
    document.edit(at: clock.now(wallMilliseconds: wall)) { edit in
      edit.editText("body", of: "n1", in: "notes") { body in
        let place = history.redo(in: &body)
        #expect(place.map { body.text[$0] } == "Hello")
      }
    }
    #expect(document.text(of: "body", of: "n1", in: "notes").map { String($0) } == "Hi. Hello")
  }
}
