import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import CRDTStore
@testable import Toolkit
@testable import crdt_demo

@Suite("Programs that are started")
struct ChildProcessTests {
  @Test("take signals as programs usually do")
  func signals() throws {
    // This process ignores the signal, which its children would inherit.
    let broken = try DemoRun.run("/bin/sh", ["-c", "kill -PIPE $$; echo alive"])
    #expect(broken.ending.description.hasSuffix("(SIGPIPE)") && broken.output == "")
    let store = try StoreRun()
    let pipeline = try store.run("sync", "--command", "yes | head -n 1 >/dev/null; exit 3")
    #expect(!pipeline.errors.contains("Broken pipe"), "\(pipeline.errors)")
    #expect(pipeline.errors.contains("it exited with status 3"))
  }

  /// Its standard error is the run's, which doesn't end before all have ended who have it.
  private static let lingering = "sleep 1000 & (trap \"\" TERM; sleep 1000) & cat >/dev/null"

  @Test("are ended with all that they have started, where they are silent for too long")
  func timeout() throws {
    let store = try StoreRun()
    let run = try store.run("sync", "--command", Self.lingering, "--timeout=1")
    #expect(run.status == 2 && run.errors.contains("was silent for 1 second"))
    let notes = try NotesRun()
    let other = try notes.run("a", "sync", "--command", Self.lingering, "--timeout=1")
    #expect(other.status == 2 && other.errors.contains("was silent for 1 second"))
  }

  @Test("are ended with the program")
  func ending() throws {
    let store = try StoreRun()
    let mark = store.folder.path + "/begun"
    let command = "touch \"\(mark)\"; \(Self.lingering)"
    let run = try DemoRun.run(
      "/bin/sh",
      [
        "-c",
        """
        (until [ -e '\(mark)' ]; do sleep 0.1; done; kill -TERM $$) &
        exec '\(try DemoRun.path())' store sync '\(store.path)' --command '\(command)'
        """,
      ])
    #expect(run.ending.description.hasSuffix("(SIGTERM)"), "\(run.ending)")
  }

  #if os(Linux)
  @Test("get no pipe that is made while they are started")
  func descriptors() throws {
    let usual = try Self.pipesOfChild()
    let makers: [@Sendable () throws -> (reading: Int32, writing: Int32)] = [
      { try Descriptors.makePipe() }, { try Syscalls.makePipe() },
    ]
    for make in makers {
      let isOver = Guarded(false)
      let isStarted = StoreThread.start {
        while !isOver.withLock({ $0 }) {
          guard let ends = try? make() else { continue }
          for end in [ends.reading, ends.writing] { Syscalls.closeDescriptor(end) }
        }
      }
      defer { isOver.withLock { $0 = true } }
      #expect(isStarted)
      for _ in 0..<60 { #expect(try Self.pipesOfChild() == usual) }
    }
  }

  /// Files are not counted: the tests beside this one open some by Foundation, and a child may
  /// get those.
  private static func pipesOfChild() throws -> Int {
    try DemoRun.run("/bin/ls", ["-l", "/proc/self/fd"]).lines.count { $0.contains("pipe:[") }
  }
  #endif

  @Test("files that are made have the usual permissions")
  func permissions() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("in", "{}")
    let run = try DemoRun.run(
      "/bin/sh",
      [
        "-c",
        """
        cd '\(folder.path)' && umask 027
        '\(try DemoRun.path())' merge in in in -o new
        """,
      ])
    #expect(run.status == 0 && run.errors == "")
    #expect(try folder.permissions(of: "new") == 0o640)
  }
}
