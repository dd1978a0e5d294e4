import CRDTKit
import Testing

@Suite("Three-way merges of models")
struct ThreeWayModelTests {
  enum Status: Codable, Equatable {
    case draft(by: String)
    case sent(to: String)
  }

  struct Note: Codable, Equatable {
    var title = "Moon"
    var likes = 3
    var status: Status? = .draft(by: "me")
    var places: [String: [String: Int]] = [:]
  }

  @Test("merge fields, and keep an enum whole")
  func models() throws {
    let base = Note(places: ["a": ["x": 1], "b": ["y": 2]])
    var ours = base
    var theirs = base
    ours.title = "Luna"
    ours.likes = 5
    ours.status = .sent(to: "you")
    ours.places["a"]?["z"] = 4
    theirs.likes = 2
    theirs.places["b"] = nil
    let rules = Schema.Collection(fields: ["likes": .counter])
    let merge = try ThreeWayMerge(base: base, ours: ours, theirs: theirs, rules: rules)
    #expect(merge.conflicts.isEmpty)
    #expect(
      merge.value
        == Note(
          title: "Luna", likes: 4, status: .sent(to: "you"), places: ["a": ["x": 1, "z": 4]]))

    theirs.status = .draft(by: "them")
    let torn = try ThreeWayMerge(base: base, ours: ours, theirs: theirs, rules: rules)
    #expect(torn.conflicts.map(\.path) == ["status"])
    #expect(torn.value?.status == .sent(to: "you"))
  }
}
