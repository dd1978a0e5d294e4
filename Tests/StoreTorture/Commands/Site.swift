import CRDTStoreTesting

/// A store that is tortured: where it is, what is in it, and what was acknowledged.
struct Site {
  let number: Int
  let seed: UInt64
  /// The store's folder.
  let store: String
  /// Where the acknowledged commits are noted: on another disk where that counts.
  let acks: String
  /// What processes write goes there.
  let log: String
  private let program = System.program

  /// A site within a folder.
  init(_ folder: String, number: Int, seed: UInt64) throws {
    self.init(
      store: "\(folder)/store.\(number)", outside: folder, number: number, seed: seed)
  }

  init(store: String, outside: String, number: Int, seed: UInt64) {
    self.number = number
    self.seed = seed
    self.store = store
    acks = "\(outside)/acks.\(number)"
    log = "\(outside)/log.\(number)"
  }

  /// Starts a writer that works in one of many ways.
  func startWriter(
    run: UInt64, _ random: inout SeededGenerator, _ extra: [String] = []
  ) throws -> Child {
    var words = [
      "--run", "\(run)", "--segment-bytes", "\(4_096 << (random.next() % 5))",
      "--compaction-bytes", "\(8_192 << (random.next() % 4))",
    ]
    if random.below(4) > 0 { words.append("--compact") }
    if random.below(2) == 0 { words.append("--purge") }
    if random.below(2) == 0 { words.append("--pauses") }
    if random.below(3) == 0 { words += ["--relaxed-share", "\(random.next() % 100)"] }
    switch random.next() % 4 {
    case 0: words += ["--threads", "\(2 + random.next() % 6)"]
    case 1: words += ["--tasks", "\(1 + random.next() % 8)"]
    default: break
    }
    return try startWriter(words + extra)
  }

  func startWriter(_ words: [String]) throws -> Child {
    try start(["write", store, "--acks", acks, "--seed", "\(seed)"] + words)
  }

  func start(_ words: [String], by wrapper: [String] = []) throws -> Child {
    let output = try Files.openForWriting(log)
    defer { Files.close(output) }
    return try Child.start(wrapper + [program] + words, output: output)
  }

  /// Kills a writer while it makes the store, or soon after.
  func beginAndKill(_ random: inout SeededGenerator) throws {
    let writer = try startWriter(["--pauses"])
    let start = System.seconds
    while !Files.exists(store), System.seconds - start < 0.3 { System.pause(microseconds: 100) }
    System.pause(microseconds: UInt32(random.next() % 6_000))
    _ = try writer.killNow()
  }

  /// Waits until another commit has been acknowledged, but not for longer than some
  /// time.
  func waitForAcknowledgement(milliseconds: Int) throws {
    let (before, start) = (Files.size(of: acks), System.seconds)
    while Files.size(of: acks) == before,
      System.seconds - start < Double(milliseconds) / 1_000
    {
      System.pause(microseconds: 300)
    }
  }

  /// Has another process look at the store; gives what it printed.
  func audit(run: UInt64, _ extra: [String] = []) throws -> String {
    let words =
      ["audit", store, "--acks", acks, "--seed", "\(seed)", "--run", "\(run)"] + extra
    let ending = try start(words).wait()
    let text = Files.text(of: log)
    switch ending {
    case .exited(0): return text
    case .exited(Outcome.refused.rawValue): throw UnreadableDisk(message: text)
    case .exited(Outcome.trouble.rawValue), .exited(64):
      throw System.Trouble(description: "audit: \(text)")
    default:
      throw BrokenPromise(
        "\(ending) \(text)the store is left in \(store): "
          + "crdt-torture \(words.joined(separator: " "))")
    }
  }

  /// Removes what is there, if anything.
  func remove() throws {
    try Files.removeFolder(store)
    forget()
  }

  /// Removes what was noted, but not the store.
  func forget() {
    Files.remove(acks)
    Files.remove(log)
  }

  /// What to say of a run that can be made again.
  func replay(_ seed: UInt64, _ round: Int) -> String {
    "\(Files.text(of: log))(--seed \(seed), round \(round), store \(store))"
  }
}
