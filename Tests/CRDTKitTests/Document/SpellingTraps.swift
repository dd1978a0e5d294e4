import CRDTKit
import CRDTTestSupport
import Testing

/// Names and texts that Swift takes for equal, though their bytes differ.
@Suite("Traps of spellings in documents")
struct SpellingTraps {
  let composed = "\u{E9}"
  let decomposed = "e\u{301}"

  @Test("places keep the spelling of their row when they are encoded") func places() throws {
    var one = Document()
    var other = Document()
    one.edit(at: DocumentTests.at(1, ReplicaID(5))) { edit in
      edit.set(FieldPath([composed, "x"]), of: composed, in: composed, to: 1)
    }
    other.edit(at: DocumentTests.at(2, ReplicaID(1))) { edit in
      edit.set(FieldPath([decomposed, "y"]), of: decomposed, in: decomposed, to: 2)
    }
    one.merge(other)
    // From here on the fifth replica's column has both spellings.
    one.edit(at: DocumentTests.at(3, ReplicaID(5))) { edit in
      edit.set(FieldPath([composed, "z"]), of: composed, in: composed, to: 3)
      edit.set(FieldPath([decomposed, "w"]), of: decomposed, in: decomposed, to: 4)
    }
    var copy = try Document(decoding: one.encoded())
    #expect(copy == one)
    for name in ["x", "y"] {
      for place in [0, 1] {
        let edit = { (editor: inout Document.Editor) in
          _ = editor.remove(FieldPath([composed, name]), of: composed, in: composed)
        }
        let stamp = DocumentTests.at(4, ReplicaID(UInt64(10 + place)))
        one.edit(at: stamp, edit)
        copy.edit(at: stamp, edit)
        #expect(one.encoded() == copy.encoded())
      }
    }
    #expect(
      one.fields(of: decomposed, in: composed) == [decomposed: ["z": 3, "w": 4]])
  }

  @Test("a set shows its elements in one order, though two spellings fit none")
  func elementOrder() {
    // By bytes "e\u{301}" comes before "f" and "\u{E9}" after it; but the two are equal.
    let elements: [Document.Value] = [
      [.string(composed), 0], [.string(decomposed), 1], ["f"], ["g"], [.string(composed), 2],
      [.string(decomposed), 3], ["a"], ["f", 1],
    ]
    let schema = Schema(collections: ["c": Schema.Collection(fields: ["tags": .set])])
    var readings: Set<[String]> = []
    var held: [Set<Document.Value>] = []
    for _ in 0..<40 {
      // The order of a hash table follows from where it stands in memory.
      held.append(Set(elements))
      var document = Document(schema: schema)
      document.edit(at: DocumentTests.at(1)) { edit in
        for element in elements { edit.insert(element, into: "tags", of: "r", in: "c") }
      }
      guard case .array(let shown)? = document.value(of: "tags", of: "r", in: "c") else { continue }
      readings.insert(shown.map { "\($0)" })
    }
    #expect(held.count == 40)
    #expect(readings.count == 1)
  }
}
