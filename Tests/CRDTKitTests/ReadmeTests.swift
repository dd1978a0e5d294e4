import CRDTKit
import Foundation
import Testing

// [README]
struct Trip: MergeableStruct, Hashable {
  var packed = ORSet<String>()
  var budget = PNCounter()
  var title = MVRegister<String>()

  static let fields = Fields(\Trip.packed, \Trip.budget, \Trip.title)
}
// [end]

// [README]
enum Priority: Int, CanonicalCodable { case low, high }

struct Errand: Hashable, Codable, CanonicalCodable {
  var name: String
  var isUrgent = false
}
// [end]

// [README]
struct Note: Codable {
  var title: String
  var body = ""
  var tags: Set<String> = []
  var likes = 0
}

let schema = Schema(collections: [
  "notes": Schema.Collection(fields: ["body": .manual, "tags": .set, "likes": .counter])
])
// [end]

/// What the README and the articles show, built and run: their Swift code is the code
/// between `[README]` and `[end]` here and in the store's tests, block by block.
@Suite("The README and the articles")
struct ReadmeTests {
  private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

  private static func text(of path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  private let phone = ReplicaID(0xF0)
  private let laptop = ReplicaID(0x1A)

  @Test("the README's values merge as it says")
  func values() throws {
    // [README]
    let phone = ReplicaID.random()
    let laptop = ReplicaID.random()

    var list = ORSet<String>()
    list.insert("milk", by: phone)

    var copy = list
    copy.remove("milk", by: laptop)  // the laptop removes what it sees,
    list.insert("milk", by: phone)  // while the phone inserts it again

    let change = copy.edit(by: laptop) { $0.insert("bread") }
    list.merge(copy)  // milk and bread: adding wins
    copy.merge(list)
    let bytes = change.encoded()  // or send only what changed
    // [end]
    #expect(list == copy && list.sorted() == ["bread", "milk"] && !bytes.isEmpty)
  }

  @Test("texts do what the article says")
  func texts() {
    // [README]
    var body = ReplicatedText("Hello world", by: phone)
    var draft = body

    // The phone inserts, while the laptop replaces a word.
    body.insert(", dear", at: body.index(5, in: .utf16), by: phone)
    let word = draft.index(6, in: .utf16)..<draft.endIndex
    draft.replaceSubrange(word, with: "all", by: laptop)

    let caret = body.anchor(at: body.endIndex, .before)
    let shown = body
    body.merge(draft)
    let merged = String(body)  // "Hello, dear all"

    // What a text view has to replace, in its own unit.
    let changes = body.changes(since: shown, in: .utf16)
    // [end]
    #expect(merged == "Hello, dear all")
    // [README]
    let insertion = body.edit(by: phone) { editor in
      editor.insert("!", at: editor.text.endIndex)
    }
    // [end]
    #expect(!insertion.isEmpty && String(body) == "Hello, dear all!")
    #expect(body.index(of: caret) == body.endIndex)
    #expect(changes.map(\.replaced) == [12..<17] && changes.map(\.inserted) == ["all"])
  }

  @Test("lists do what the article says")
  func lists() {
    // [README]
    var list = ReplicatedList<MVRegister<String>>()
    list.append(contentsOf: ["milk", "tea", "bread"], by: phone)
    let shown = list
    var copy = list

    // The phone moves an element, while the laptop writes it.
    list.move(from: 2, to: 0, by: phone)
    copy.replace(at: 2, with: "rye bread", by: laptop)
    list.merge(copy)
    let values = list.values  // ["rye bread", "milk", "tea"]

    // What a view has to move, insert and remove, and whose values are others.
    let moves = list.changes(since: shown)
    let edited = list.edited(since: shown)
    // [end]
    #expect(values == ["rye bread", "milk", "tea"])
    #expect(moves.count == 2 && edited == [list.id(at: 0)])
    // [README]
    var tasks = ReplicatedList<MergeMap<String, MVRegister<String>>>()
    let task = tasks.append(by: phone) { $0.update("title") { $0.set("Book a train") } }
    tasks.update(id: task, by: phone) { $0.update("note") { $0.set("before Friday") } }
    let note = tasks[0]["note"]?.value
    // [end]
    #expect(note == "before Friday" && tasks.count == 1)
  }

  @Test("sets and deltas do what the article says")
  func quickStart() throws {
    // [README]
    let phone = ReplicaID.random()
    let laptop = ReplicaID.random()

    var list = ORSet<String>()
    list.insert("milk", by: phone)
    list.insert("tea", by: phone)

    // The laptop removes what it sees, while the phone inserts it again.
    var copy = list
    copy.remove("milk", by: laptop)
    copy.insert("bread", by: laptop)
    list.insert("milk", by: phone)

    // Adding wins: both hold tea, milk and bread.
    list.merge(copy)
    copy.merge(list)
    let haveConverged = list == copy
    // [end]
    #expect(haveConverged)
    #expect(Set(list) == ["tea", "milk", "bread"])
    #expect(list.encoded() == copy.encoded())

    // [README]
    let first = list.edit(by: phone) {
      $0.insert("eggs")
      $0.remove("tea")
    }
    let second = list.edit(by: phone) { $0.insert("flour") }

    var refusal: DeltaError?
    do {
      try copy.apply(decoding: second.encoded())
    } catch {
      // A gap: the first one has not come yet.
      refusal = error
    }

    // All that the copy lacks, whoever made it.
    let rest = list.delta(since: copy.version)
    try copy.apply(decoding: rest.encoded())
    // [end]
    #expect(refusal == .gap(missing: [phone: first.version[phone]]))
    #expect(Set(copy) == ["milk", "bread", "eggs", "flour"])
    #expect(copy == list)
  }

  @Test("its maps keep what a removal had not seen")
  func maps() throws {
    // [README]
    var basket = MergeMap<String, PNCounter>()
    try basket.update("apples", by: phone) { try $0.increment(5) }

    // One removes the apples, while the other adds to them.
    var other = basket
    other.removeValue(forKey: "apples", by: laptop)
    try basket.update("apples", by: phone) { try $0.increment(1) }

    // What the removal had not seen is left: 1.
    basket.merge(other)
    let apples = basket["apples"]?.value
    // [end]
    #expect(apples == 1)
  }

  @Test("its struct of mergeable fields merges and exchanges deltas")
  func structs() throws {
    // [README]
    var trip = Trip()
    trip.title.set("Norway", by: phone)
    let sent = trip.version
    var theirs = trip

    trip.packed.insert("tent", by: phone)
    try trip.budget.increment(300, by: phone)

    // The tent and the 300, but not the title.
    let news = trip.delta(since: sent)
    try theirs.apply(decoding: news.encoded())
    // [end]
    #expect(theirs == trip)
    #expect(theirs.budget.value == 300)
    var stranger = Trip()
    #expect(throws: DeltaError.gap(missing: [phone: 1])) { try stranger.apply(news) }
    #expect(stranger == Trip())
    #expect(try Trip(decoding: trip.encoded()) == trip)
  }

  @Test("its documents merge field by field, and keep what is in conflict")
  func documents() throws {
    // [README]
    // Stamps say when something was written and by whom; a clock makes them.
    var clock = HybridLogicalClock(replica: phone)
    var theirClock = HybridLogicalClock(replica: laptop)
    let now: UInt64 = 1_800_000_000_000  // milliseconds since 1970

    var notes = Document(schema: schema)
    try notes.write(
      Note(title: "Moon"), to: "n1", in: "notes", at: clock.now(wallMilliseconds: now))
    var theirs = notes

    // One reads the note, changes it, and writes what is changed from what was read.
    let asRead = try notes.read(Note.self, "n1", in: "notes")
    if var note = asRead {
      note.title = "Full moon"
      note.body = "There was a lake."
      note.likes += 2
      try notes.write(
        note, changedFrom: asRead, to: "n1", in: "notes", at: clock.now(wallMilliseconds: now))
    }
    // The other changes single fields.
    let news = try theirs.edit(at: theirClock.now(wallMilliseconds: now)) { edit in
      edit.set("body", of: "n1", in: "notes", to: "There was a river.")
      edit.insert("story", into: "tags", of: "n1", in: "notes")
      try edit.increment("likes", of: "n1", in: "notes")
    }

    // Both changes stay, and 3 likes. The clock hears of their stamps first.
    if let latest = news.latestTimestamp { try clock.receive(latest, wallMilliseconds: now) }
    try notes.apply(decoding: news.encoded())
    let merged = try notes.read(Note.self, "n1", in: "notes")

    // Two bodies, under a manual rule: someone has to choose.
    for conflict in notes.conflicts {
      notes.edit(at: clock.now(wallMilliseconds: now)) { edit in
        edit.resolve(conflict, with: conflict.sides[0].value)
      }
    }
    // [end]
    #expect(merged?.title == "Full moon" && merged?.likes == 3 && merged?.tags == ["story"])
    #expect(notes.conflicts.isEmpty)
    #expect(notes.value(of: "body", of: "n1", in: "notes") != nil)
  }

  @Test("texts in documents take edits at positions")
  func documentTexts() {
    var clock = HybridLogicalClock(replica: phone)
    let now: UInt64 = 1
    var (strings, places): ([String], [Range<Int>]) = ([], [])
    func show(_ string: String, _ place: Range<Int>) {
      strings.append(string)
      places.append(place)
    }
    // [README]
    var essays = Document(
      schema: Schema(collections: ["essays": Schema.Collection(fields: ["body": .text])]))
    essays.edit(at: clock.now(wallMilliseconds: now)) { edit in
      edit.set("body", of: "e1", in: "essays", to: "There was a lake.")
    }
    // A view keeps the text that it shows. It tells an edit at a position, in its own unit.
    let shown = essays.text(of: "body", of: "e1", in: "essays")
    essays.edit(at: clock.now(wallMilliseconds: now)) { edit in
      edit.editText("body", of: "e1", in: "essays") { body in
        body.insert("deep ", at: body.text.index(12, in: .utf16))
      }
    }
    // "There was a deep lake.", and what the view has to insert, and where.
    if let body = essays.text(of: "body", of: "e1", in: "essays"), let shown {
      for change in body.changes(since: shown) { show(change.inserted, change.replaced) }
    }
    // [end]
    #expect(strings == ["deep "])
    #expect(places == [12..<12])
  }

  @Test("its lists have what several people change in them")
  func documentLists() {
    let now: UInt64 = 1_000
    var clock = HybridLogicalClock(replica: phone)
    // [README]
    let milk: Document.Value = ["id": "m", "title": "milk"]
    let tea: Document.Value = ["id": "t", "title": "tea"]
    var boards = Document(
      schema: Schema(collections: ["boards": Schema.Collection(fields: ["tasks": .list])]))
    boards.edit(at: clock.now(wallMilliseconds: now)) { edit in
      edit.set("tasks", of: "b1", in: "boards", to: [milk, tea])
    }
    var offline = boards
    offline.edit(at: clock.now(wallMilliseconds: now)) { edit in
      edit.set(["tasks", "m", "title"], of: "b1", in: "boards", to: "oat milk")
    }
    boards.edit(at: clock.now(wallMilliseconds: now)) { edit in
      edit.set("tasks", of: "b1", in: "boards", to: [tea, milk])
    }
    boards.merge(offline)  // tea, oat milk
    // [end]
    #expect(
      boards.value(of: "tasks", of: "b1", in: "boards")
        == [tea, ["id": "m", "title": "oat milk"]])
  }

  @Test("its sessions bring two documents together, over any stream")
  func sessions() throws {
    var wire: [[UInt8]] = []
    var notes = Document()
    notes.edit(at: HybridTimestamp(milliseconds: 1, replica: phone)) { edit in
      edit.set("title", of: "n1", in: "notes", to: "Moon")
    }
    // [README]
    var session = PeerSession<Document>(replica: phone)

    func perform(_ actions: [PeerSession<Document>.Action]) {
      for action in actions {
        switch action {
        case .send(let bytes): wire.append(bytes)  // write them to the stream
        case .learned(let delta): _ = delta.version  // make it durable, show it
        case .takeNewReplica: session.replica = .random()  // this is a restored backup
        case .close(let failure): print(failure)  // damage, a fork, a stranger
        }
      }
    }

    perform(session.connect(notes))  // a stream is there
    perform(session.flush(notes))  // after edits
    let bytes: [UInt8] = []  // whatever came, cut at any place
    perform(session.receive(bytes, into: &notes))
    session.disconnect()  // it broke; connect again, and it goes on
    // [end]
    var theirs = Document()
    var other = PeerSession<Document>(replica: laptop)
    wire = []
    perform(session.connect(notes))
    var answers = other.connect(theirs)
    for _ in 0..<10 {
      let sent = wire
      wire = []
      for bytes in sent { answers += other.receive(bytes, into: &theirs) }
      for case .send(let bytes) in answers { perform(session.receive(bytes, into: &notes)) }
      answers = []
    }
    #expect(theirs == notes)
  }

  @Test("its types of one's own have canonical forms")
  func canonicalForms() throws {
    var errands = MergeMap<Errand, MVRegister<Priority>>()
    errands.update(Errand(name: "post"), by: phone) { $0.set(.high) }
    let decoded = try MergeMap<Errand, MVRegister<Priority>>(decoding: errands.encoded())
    #expect(decoded == errands)
    #expect(decoded[Errand(name: "post")]?.value == .high)
  }

  @Test("their code is the code of the tests")
  func code() throws {
    let kit = ["Types", "Documents", "Syncing"].map { "Sources/CRDTKit/CRDTKit.docc/\($0).md" }
    let store = ["Storing", "Models", "Servers"].map {
      "Sources/CRDTStore/CRDTStore.docc/\($0).md"
    }
    let shown = try (["README.md"] + kit + store).map(Self.text).joined()
      .matches(of: /\n```swift\n(.*?\n)```\n/.dotMatchesNewlines()).map { String($0.output.1) }
    let files = [
      "CRDTKitTests/ReadmeTests", "CRDTKitTests/MarkReadmeTests",
      "CRDTKitTests/UndoReadmeTests",
      "CRDTStoreTests/AppReadmeTests", "CRDTStoreTests/StoreReadmeTests",
      "CRDTStoreTests/RecordsReadmeTests",
    ]
    let built = try files.map { try Self.text(of: "Tests/\($0).swift") }.joined()
      .matches(of: /\n *\/\/ \[README\]\n(.*?\n) *\/\/ \[end\]\n/.dotMatchesNewlines())
      .map { Self.withoutMargin(String($0.output.1)) }
    #expect(shown.count == built.count)
    for block in shown { #expect(built.contains(block), "not built:\n\(block)") }
  }

  @Test("the README is short, and its links lead somewhere")
  func links() throws {
    let readme = try Self.text(of: "README.md")
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
    let links = readme.matches(of: /\]\(([^)#]+)\)/).map { String($0.output.1) }
    #expect(links.count >= 20)
    for link in links {
      #expect(FileManager.default.fileExists(atPath: "\(Self.root)/\(link)"), "\(link)")
    }
  }

  private static func withoutMargin(_ code: String) -> String {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
    let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(margin) }.joined(separator: "\n")
  }
}
