import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo store sync and crdt-demo serve")
struct SyncCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["a", "b"] {
      let made = try DemoRun.run("store", "init", path(name), "--document", "notes")
      try #require(made.status == 0)
    }
  }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func put(_ field: String, of record: String, in store: String) throws {
    let run = try DemoRun.run("store", "put", path(store), "notes", record, field)
    try #require(run.status == 0 && run.errors == "")
  }

  private func records(of store: String) throws -> [Substring] {
    try DemoRun.run("store", "list", path(store), "notes").lines
  }

  /// The command that serves a store, for a shell.
  private func serving(_ store: String) throws -> String {
    "'\(try DemoRun.path())' serve '\(path(store))'"
  }

  @Test("Stores come to hold the same by way of a folder")
  func throughFolder() throws {
    try put("x=1", of: "n1", in: "a")
    try put("x=2", of: "n2", in: "b")
    for store in ["a", "b", "a"] {
      let run = try DemoRun.run("store", "sync", path(store), "--folder", path("relay"))
      #expect(run.status == 0 && run.errors == "")
      #expect(run.output.hasPrefix("sent ") && run.lines.count == 1)
    }
    #expect(try records(of: "a") == ["n1", "n2"])
    #expect(try records(of: "b") == ["n1", "n2"])
  }

  @Test("A file that is needed and can't be read is reported, with status 1")
  func damagedFile() throws {
    try put("x=1", of: "n1", in: "a")
    _ = try DemoRun.run("store", "sync", path("a"), "--folder", path("relay"))
    let store = try Store.open(at: path("a"))
    let own = "relay/\(store.replica)"
    try store.close()
    let all = try DemoRun.run("/bin/ls", [path(own)])
    let name = "\(own)/\(try #require(all.lines.first))"
    _ = try DemoRun.run("/bin/sh", ["-c", "printf x >>'\(path(name))'"])
    let run = try DemoRun.run("store", "sync", path("b"), "--folder", path("relay"))
    // Nobody knows what it holds, so nobody can say that all is here.
    #expect(run.status == 1)
    #expect(
      run.errors == "crdt-demo: '\(path(name))' is damaged: there are bytes after its end\n")
  }

  @Test("Two stores on one machine come to hold the same")
  func withAnother() throws {
    try put("x=1", of: "n1", in: "a")
    try put("x=2", of: "n2", in: "b")
    let run = try DemoRun.run("store", "sync", path("a"), "--with", path("b"))
    #expect(run.status == 0 && run.errors == "")
    #expect(try records(of: "a") == ["n1", "n2"])
    #expect(try records(of: "b") == ["n1", "n2"])
    let same = try DemoRun.run("store", "sync", path("a"), "--with", path("a"))
    #expect(same.status == 2 && same.errors.contains("is open already"))
  }

  @Test("Stores that were written apart refuse each other, until they are joined on purpose")
  func joining() throws {
    let partners = { (store: String) throws in
      [
        ["--with", path(store)], ["--command", try serving(store)],
        ["--folder", path("f\(store)")],
      ]
    }
    for place in 0..<3 {
      let (mine, theirs) = ("m\(place)", "t\(place)")
      for store in [mine, theirs] {
        #expect(try DemoRun.run("store", "init", path(store)).status == 0)
        let empty = try DemoRun.run("store", "status", path(store))
        #expect(empty.output.contains("document   none yet"))
        try put("x=1", of: store, in: store)
      }
      let own = try DemoRun.run("store", "sync", path(theirs), "--folder", path("f\(theirs)"))
      #expect(own.status == 0)
      let partner = try partners(theirs)[place]
      let refused = try DemoRun.run(["store", "sync", path(mine)] + partner)
      #expect(refused.status == 2 && refused.output == "")
      #expect(refused.errors.contains("document") && refused.errors.contains("'--join'"))
      #expect(try records(of: mine) == [Substring(mine)])
      #expect(try records(of: theirs) == [Substring(theirs)])
      let joined = try DemoRun.run(["store", "sync", path(mine)] + partner + ["--join"])
      #expect(joined.status == 0)
      #expect(try records(of: mine) == [Substring(mine), Substring(theirs)])
      let again = try DemoRun.run(["store", "sync", path(mine)] + partner)
      #expect(again.status == 0 && again.errors == "")
      let sound = try DemoRun.run("store", "verify", path(mine))
      #expect(sound.status == 0 && sound.lines.last?.hasPrefix("document ") == true)
    }
  }

  @Test("Joining is for one round, and a store's document has a name")
  func naming() throws {
    let watched = try DemoRun.run(
      "store", "sync", path("a"), "--folder", path("f"), "--watch", "--join")
    #expect(watched.status == 64 && watched.errors.contains("'--join'"))
    let unnamed = try DemoRun.run("store", "init", path("c"), "--document=")
    #expect(unnamed.status == 64)
    #expect(try DemoRun.run("store", "init", path("c"), "--document", "c").status == 0)
    let status = try DemoRun.run("store", "status", path("c"))
    #expect(status.output.contains("document   \(DocumentID(named: "c"))\n"))
  }

  @Test("A mistyped folder, and one copied into another, merge nothing")
  func otherFolders() throws {
    for store in ["n1", "n2"] {
      #expect(try DemoRun.run("store", "init", path(store)).status == 0)
      try put("x=1", of: store, in: store)
      let run = try DemoRun.run("store", "sync", path(store), "--folder", path("f\(store)"))
      #expect(run.status == 0)
    }
    let wrong = try DemoRun.run("store", "sync", path("n2"), "--folder", path("fn1"))
    #expect(wrong.status == 2 && wrong.errors.contains("'--join'"))
    _ = try DemoRun.run("/bin/sh", ["-c", "cp -r '\(path("fn1"))'/* '\(path("fn2"))'"])
    let copied = try DemoRun.run("store", "sync", path("n2"), "--folder", path("fn2"))
    #expect(copied.status == 0 && copied.errors.contains("is of another document"))
    #expect(try records(of: "n2") == ["n2"])
  }

  @Test("Much goes both ways through a pipe at once", .timeLimit(.minutes(30)))
  func throughPipe() throws {
    for name in ["a", "b"] {
      let store = try Store.open(at: path(name))
      try store.edit { edit in
        for number in 0..<400 {
          let bytes = [UInt8](repeating: UInt8(number % 256), count: 10_000)
          edit.set("bytes", of: "\(name)\(number)", in: "notes", to: .bytes(bytes))
        }
      }
      try store.close()
    }
    let run = try DemoRun.run("store", "sync", path("a"), "--command", try serving("b"))
    #expect(run.status == 0 && run.errors == "")
    let (left, right) = (
      try Store.open(at: path("a")), try Store.open(at: path("b"))
    )
    #expect(left.document == right.document)
    #expect(left.document.records(in: "notes").count == 800)
    #expect(right.peers.map(\.replica) == [left.replica])
  }

  @Test("A stream that leads back to the store is in sync with nobody")
  func echo() throws {
    try put("x=1", of: "n1", in: "a")
    let run = try DemoRun.run("store", "sync", path("a"), "--command", "cat")
    #expect(run.status == 1 && run.errors.contains("; sync again"))
    #expect(try DemoRun.run("store", "status", path("a")).output.contains("peers      none"))
  }

  @Test("A command that serves no store, or stops too early, is reported")
  func badCommands() throws {
    for (command, end) in [
      ("exit 3", "it exited with status 3"), (":", "it exited with status 0"),
      ("kill -9 $$", "it was ended by signal 9 (SIGKILL)"),
    ] {
      let run = try DemoRun.run("store", "sync", path("a"), "--command", command)
      #expect(run.status == 2 && run.output == "")
      #expect(
        run.errors == "crdt-demo: '\(command)' stopped before both held the same: \(end)\n")
    }
    let garbage = try DemoRun.run(
      "store", "sync", path("a"), "--command", "printf '%01000d' 7; cat >/dev/null")
    #expect(garbage.status == 2 && garbage.output == "" && garbage.errors != "")
  }

  @Test("What a command leaves running is asked to end")
  func leftRunning() throws {
    let (ready, mark) = (path("ready"), path("ended"))
    let command = """
      (trap 'echo 1 >\(mark); exit' TERM; echo 1 >\(ready); while :; do sleep 0.1; done) \
      </dev/null >/dev/null 2>&1 & while [ ! -e \(ready) ]; do sleep 0.01; done; exit 3
      """
    let run = try DemoRun.run("store", "sync", path("a"), "--command", command)
    #expect(run.status == 2 && run.errors.contains("it exited with status 3"))
    var looks = 0
    while !FileManager.default.fileExists(atPath: mark), looks < 500 {
      looks += 1
      Syscalls.sleep(milliseconds: 20)
    }
    #expect(looks < 500, "it was told to end")
  }

  @Test("A command that is silent for too long is reported, and the store is free again")
  func silentCommand() throws {
    let start = ContinuousClock.now
    for command in ["exec sleep 100", "cat >/dev/null"] {
      let run = try DemoRun.run(
        "store", "sync", path("a"), "--command", command, "--timeout=1")
      #expect(run.status == 2 && run.output == "")
      #expect(
        run.errors
          == "crdt-demo: '\(command)' was silent for 1 second; "
          + "'--timeout=SECONDS' lets it be so for longer\n")
    }
    // It is killed, not waited for.
    #expect(ContinuousClock.now - start < .seconds(60))
    #expect(try wasClosed("a"))
  }

  /// Whether a store was closed in good order.
  private func wasClosed(_ name: String) throws -> Bool {
    let store = try Store.open(at: path(name))
    defer { try? store.close() }
    return store.recovery.wasClosed
  }

  @Test("Serving ends with its input, and in good order where nobody listens")
  func serveEnds() throws {
    let quiet = try DemoRun.run("serve", path("a"))
    #expect(quiet.status == 0 && quiet.errors == "" && !quiet.output.isEmpty)
    let pipe = try Syscalls.makePipe()
    Syscalls.closeDescriptor(pipe.reading)
    defer { Syscalls.closeDescriptor(pipe.writing) }
    let unheard = try DemoRun.run(["serve", path("a")], output: pipe.writing)
    #expect(unheard.status == 0 && unheard.errors == "")
    #expect(try wasClosed("a"))
    let garbage = try DemoRun.run("serve", path("a"), input: String(repeating: "7", count: 1_000))
    #expect(garbage.status == 2 && garbage.errors.hasPrefix("crdt-demo: \(path("a")): "))
    let missing = try DemoRun.run("serve", path("nowhere"))
    #expect(missing.status == 2 && missing.output == "")
  }

  @Test("Watching goes on, and leaves the store free in between", .timeLimit(.minutes(30)))
  func watching() throws {
    try put("x=2", of: "n2", in: "b")
    _ = try DemoRun.run("store", "sync", path("b"), "--folder", path("relay"))
    let run = try DemoRun.run(
      "/bin/sh",
      [
        "-c",
        """
        '\(try DemoRun.path())' store sync '\(path("a"))' --folder '\(path("relay"))' --watch \
        --every=1 >'\(path("said"))' & watcher=$!
        until '\(try DemoRun.path())' store list '\(path("a"))' notes 2>/dev/null | grep -q n2 &&
          grep -q 'took in' '\(path("said"))'
        do
          sleep 0.2
        done
        kill -9 $watcher
        cat '\(path("said"))'
        """,
      ])
    #expect(run.status == 0)
    // Now and then the two meet.
    let lines = run.errors.split(separator: "\n")
    #expect(lines.allSatisfy { $0.contains("is open already") }, "\(run.errors)")
    #expect(run.output.hasPrefix("sent 0 bytes, took in "))
    #expect(try records(of: "a") == ["n2"])
  }

  @Test("A command line that makes no sense is refused")
  func usage() throws {
    for (words, message) in [
      (["store", "sync"], "missing operand DIR"),
      (["store", "sync", "s"], "give one of --folder, --with and --command"),
      (
        ["store", "sync", "s", "--folder=f", "--with=g"],
        "give one of --folder, --with and --command"
      ),
      (["store", "sync", "s", "--folder="], "the value of '--folder' is empty"),
      (["store", "sync", "s", "--folder=f", "--every=3"], "'--every' is for '--watch'"),
      (
        ["store", "sync", "s", "--folder=f", "-w", "--every=0"],
        "invalid value '0' for '--every': it must be a whole number from 1 to 86400"
      ),
      (["store", "sync", "s", "--folder=f", "--timeout=3"], "'--timeout' is for '--command'"),
      (["store", "sync", "s", "--with=t", "--rate=3"], "'--rate' is for '--command'"),
      (
        ["serve", "a", "--rate=x"],
        "invalid value 'x' for '--rate': it must be a whole number from 0 to 1000000000"
      ),
      (["store", "sync", "s", "--folder=f", "--memory=3"], "'--memory' is for '--command'"),
      (
        ["serve", "a", "--memory=0"],
        "invalid value '0' for '--memory': it must be a whole number from 1 to 1048576"
      ),
      (
        ["store", "sync", "s", "--command=c", "--timeout=0"],
        "invalid value '0' for '--timeout': it must be a whole number from 1 to 86400"
      ),
      (["serve"], "missing operand DIR"),
      (["serve", "a", "b"], "extra operand 'b'"),
    ] {
      let run = try DemoRun.run(words)
      #expect(run.status == 64 && run.output == "")
      #expect(run.errors.hasPrefix("crdt-demo: \(message)\n"), "\(words): \(run.errors)")
    }
  }
}
