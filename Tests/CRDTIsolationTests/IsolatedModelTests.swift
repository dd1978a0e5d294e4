import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

// The models of the README and of Models.md, which a test holds against them.

struct Note: Replicated, Codable, Identifiable {
  let id: String
  var title: String
  var body = ""
  var tags: Set<String> = []
  var likes = 0

  static let collection = "notes"
  static let rules = Rules(
    [CodingKeys.title: .manual, .body: .text, .tags: .set, .likes: .counter])
}

struct Errand: Replicated {
  let id: String
  var title: String
  var notes = ""
  var labels: Set<String> = []
  var urgency = 0
  var project: String?

  static let collection = "errands"
  static let rules = Rules([CodingKeys.notes: .manual, .urgency: .max], indexed: [.project])
  static let serverAccess = ServerAccess.queued  // a server is told, too; leave it out without one

  static func inProject(_ id: String) -> Store.Query<Errand> {
    Store.Query(CodingKeys.project, equals: .string(id))
  }
}

/// What the documentation shows compiles where types belong to the main actor unless they say
/// otherwise, as in apps that a new Xcode makes: this target is built so.
@Suite("Models of an app on the main actor")
struct IsolatedModelTests {
  @Test("are written, queried and observed")
  func models() async throws {
    let folder = try TemporaryFolder()
    let store = try await Store.open(
      at: "\(folder.path)/store", for: Note.self, Errand.self)
    try await store.write { tx in
      try tx.create(Note(id: "n1", title: "Moon", body: "There was a lake."))
      try tx.create(Errand(id: "t1", title: "Call the bank", project: "home"))
      try tx.update(Note.self, "n1") { $0.likes += 1 }
    }
    #expect(store.all(Errand.self, where: Errand.inProject("home")).count == 1)
    for await notes in store.observe(Note.self, where: { $0.likes > 0 }) {
      #expect(notes.map(\.title) == ["Moon"])
      break
    }
    var form = try store.draft(Note.self, "n1")
    form.title = "Full moon"
    try await store.write { try $0.commit(form) }
    #expect(try store.get(Note.self, "n1")?.title == "Full moon")
  }

  @Test("are those that the documentation shows")
  func documentation() throws {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let own = try text(at: #filePath)
    for (path, name) in [
      ("/README.md", "Note"), ("/Sources/CRDTStore/CRDTStore.docc/Models.md", "Errand"),
    ] {
      let blocks = try text(at: root + path).components(between: "```swift\n", and: "```")
      let models = blocks.filter { $0.contains("struct \(name): Replicated") }
      #expect(models.count == 1)
      for model in models { #expect(own.contains(model), "\(model)") }
    }
  }

  private func text(at path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }
}

extension String {
  fileprivate func components(between start: String, and end: String) -> [String] {
    var found: [String] = []
    var rest = self[...]
    while let first = rest.firstRange(of: start) {
      rest = rest[first.upperBound...]
      guard let last = rest.firstRange(of: end) else { break }
      found.append(String(rest[..<last.lowerBound]))
      rest = rest[last.upperBound...]
    }
    return found
  }
}
