import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("How long a peer may keep a session waiting")
struct PeerLimitsTests {
  private func patience(_ seconds: Int, rate: Int) -> PeerPatience {
    var limits = PeerLimits()
    (limits.timeoutSeconds, limits.bytesPerSecond) = (seconds, rate)
    return PeerPatience(limits)
  }

  @Test("who says nothing is silent, and who doesn't finish the greeting is told so")
  func greeting() {
    var patience = patience(10, rate: 0)
    patience.note(bytes: 100, areSaid: false)
    patience.spend(.seconds(9))
    #expect(patience.left == .seconds(1))
    patience.spend(.seconds(2))
    #expect(patience.left == .zero && patience.fault == .silent(seconds: 10))
    patience = self.patience(10, rate: 0)
    for _ in 0..<9 {
      patience.spend(.seconds(1))
      patience.note(bytes: 1, areSaid: true)
    }
    #expect(patience.left == .seconds(1))
    patience.spend(.seconds(1))
    #expect(patience.left == .zero && patience.fault == .ungreeted(seconds: 10))
  }

  @Test("who is slower than the rate is given up after about the time")
  func slowness() {
    var patience = patience(10, rate: 4)
    patience.noteGreeting()
    var seconds = 0
    while patience.left > .zero, seconds < 100 {
      seconds += 1
      patience.spend(.seconds(1))
      if patience.left > .zero { patience.note(bytes: 1, areSaid: true) }
    }
    #expect(seconds == 13 && patience.fault == .slow(bytesPerSecond: 4))
    patience = self.patience(10, rate: 4)
    patience.noteGreeting()
    for _ in 0..<1_000 {
      patience.spend(.seconds(1))
      patience.note(bytes: 4, areSaid: false)
    }
    #expect(patience.left >= .seconds(9))
    for _ in 0..<9 { patience.spend(.seconds(1)) }
    patience.renew()
    #expect(patience.left == .seconds(10))
    patience.spend(.seconds(3_600))
    patience.note(bytes: 8, areSaid: true)
    #expect(patience.left == .seconds(2))
  }

  @Test("who says much that brings nothing is given up")
  func idleness() {
    var limits = PeerLimits()
    limits.idleBytesMax = 1_000
    var patience = PeerPatience(limits)
    patience.noteGreeting()
    for _ in 0..<9 {
      patience.note(bytes: 900, areSaid: true)
      patience.noteNews()
    }
    patience.note(bytes: 1_000, areSaid: true)
    #expect(patience.left > .zero)
    patience.note(bytes: 1, areSaid: true)
    #expect(patience.left == .zero && patience.fault == .idle(bytes: 1_000))
  }

  /// A script of the shell in a folder with the stores `a`, which has a record, and `b`.
  private func script(_ text: String) throws -> DemoRun {
    let folder = try TemporaryFolder()
    let program = try DemoRun.path().split(separator: "/").dropLast().map { "/\($0)" }.joined()
    return try DemoRun.run(
      "/bin/sh",
      [
        "-c",
        """
        cd '\(folder.path)' && export PATH='\(program)':$PATH || exit 9
        for s in a b; do crdt-demo store init $s --document d >/dev/null || exit 9; done
        crdt-demo store put a c r x=1 || exit 9
        crdt-demo serve b </dev/null >hello || exit 9
        mkfifo quiet; exec 3<>quiet
        \(text)
        """,
      ])
  }

  @Test("serving gives up on a peer that says nothing, or not all of its greeting")
  func serving() throws {
    let silent = try script("crdt-demo serve a --timeout=1 <&3 >/dev/null")
    #expect(silent.status == 2)
    #expect(
      silent.errors
        == "crdt-demo: a: the peer was silent for 1 second; "
        + "'--timeout=SECONDS' lets it be so for longer\n")
    let half = try script(
      "head -c 7 hello >&3; crdt-demo serve a --timeout=1 <&3 >/dev/null")
    #expect(half.status == 2)
    #expect(
      half.errors
        == "crdt-demo: a: the peer didn't finish its greeting in 1 second; "
        + "'--timeout=SECONDS' gives it longer\n")
  }

  /// Greets, and then says a byte now and then.
  private static let dribble = """
    cat hello; i=1; while [ $i -le 40 ]; do tail -c +$i hello | head -c 1; sleep 0.3; \
    i=$((i+1)); done; exec sleep 100
    """

  @Test("both sides give up on a peer that says a byte now and then")
  func slow() throws {
    let message = "moved less than 50 bytes a second; '--rate=BYTES' lets it be slower\n"
    let synced = try script(
      "crdt-demo store sync a --command '\(Self.dribble)' --timeout=2 --rate=50")
    #expect(synced.status == 2 && synced.output == "")
    #expect(synced.errors.hasSuffix(message), "\(synced.errors)")
    let served = try script(
      """
      { \(Self.dribble); } >&3 2>/dev/null & peer=$!
      crdt-demo serve a --timeout=2 --rate=50 <&3 >/dev/null; status=$?; kill $peer; exit $status
      """)
    #expect(served.status == 2)
    #expect(served.errors.hasPrefix("crdt-demo: a: the peer \(message)"), "\(served.errors)")
  }

  @Test("what a peer brings may take as much memory as is said")
  func memory() throws {
    let run = try script(
      """
      awk 'BEGIN { printf "{\\"c\\":{"; for (i = 1; i <= 9000; i++)
        printf "%s\\"r%d\\":{\\"x\\":%d}", (i > 1 ? "," : ""), i, i; print "}}" }' >many.json
      crdt-demo store import b many.json >/dev/null || exit 9
      crdt-demo store sync a --command 'crdt-demo serve b' --memory=1
      [ $? = 2 ] && [ "$(crdt-demo store list a c)" = r ] || exit 9
      crdt-demo store sync a --command 'crdt-demo serve b' --memory=100 >/dev/null
      """)
    #expect(run.status == 0, "\(run.output)")
    #expect(
      run.errors.contains(
        "it would take more than 1048576 bytes of memory"), "\(run.errors)")
    #expect(run.errors.contains("; '--memory=MIB' lets what comes take more\n"), "\(run.errors)")
  }

  @Test("so do notes")
  func notes() throws {
    let run = try script(
      """
      crdt-demo notes -s n add Moon >/dev/null
      crdt-demo serve b </dev/null >/dev/null
      crdt-demo notes -s n sync --join --command 'head -c 7 hello; exec sleep 100' --timeout=1
      """)
    #expect(run.status == 2)
    #expect(run.errors.contains("didn't finish its greeting in 1 second; "), "\(run.errors)")
  }

  @Test("a store that waits for its peer can be read")
  func reading() throws {
    let run = try script(
      """
      crdt-demo serve a --timeout=20 <&3 >served & server=$!
      until [ -s served ]; do sleep 0.1; done
      crdt-demo store list a c; crdt-demo store get a c r x; crdt-demo store put a c r x=2
      kill $server
      """)
    #expect(run.lines == ["r", "1"], "\(run.output)\(run.errors)")
    #expect(run.errors.contains("the store in 'a' is open already"))
  }
}
