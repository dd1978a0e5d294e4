import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("crdt-demo store, with records that were purged while somebody edited them")
struct OrphanedRecordCommandTests {
  /// A store that holds what is left of `n1` in `notes`, and a record beside.
  private func store() throws -> StoreRun {
    let run = try StoreRun()
    let (one, two) = (ReplicaID(1), ReplicaID(2))
    let now = SystemClock().milliseconds
    let at = { (time: UInt64, replica: ReplicaID) in
      HybridTimestamp(milliseconds: now - 10 + time, replica: replica)
    }
    var document = Document()
    document.edit(at: at(1, one)) { edit in
      edit.set("title", of: "n1", in: "notes", to: "old")
      edit.set("title", of: "t1", in: "tasks", to: "stays")
    }
    var away = document
    away.edit(at: at(2, two)) { $0.set("body.text", of: "n1", in: "notes", to: "an hour's work") }
    document.edit(at: at(3, one)) { $0.delete("n1", in: "notes") }
    document.edit(at: at(4, one)) { $0.purge(retention: .zero) }
    document.merge(away)
    let store = try Store.open(at: run.path)
    try store.apply(document.delta(since: [:]))
    try store.close()
    return run
  }

  @Test("they are listed, shown and counted apart") func listed() throws {
    let store = try store()
    #expect(try store.output("list") == "tasks\n")
    #expect(try store.output("list", "--orphaned") == "notes\n")
    #expect(try store.output("list", "notes", "--orphaned") == "n1\n")
    #expect(try store.output("list", "tasks", "--orphaned") == "")
    #expect(
      try store.output("get", "notes", "n1", "body.text", "--orphaned") == "\"an hour's work\"\n")
    #expect(try store.run("get", "notes", "n1").status == 1)
    #expect(try store.output("status").contains("orphaned   1 record"))
    let status = try store.output("status", "--json").filter { $0 != " " }
    #expect(status.contains("\"orphaned\":1"))
    let both = try store.run("list", "--orphaned", "--deleted")
    #expect(both.status == 64 && both.output == "")
  }

  @Test("one is restored, or discarded, once") func decided() throws {
    for verb in ["restore", "discard"] {
      let store = try store()
      #expect(try store.output(verb, "notes", "n1") == "")
      #expect(try store.output("list", "--orphaned") == "")
      #expect(try store.output("list", "notes") == (verb == "restore" ? "n1\n" : ""))
      #expect(!(try store.output("status").contains("orphaned")))
      let again = try store.run(verb, "notes", "n1")
      #expect(again.status == 1)
      #expect(again.errors.contains("there is no"))
    }
  }
}
