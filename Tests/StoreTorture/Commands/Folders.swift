import CRDTStoreTesting
import CRDTTestSupport
import Toolkit

/// Whole folders that accidents and strangers have been at, each of them from its own seed; in
/// processes of their own, so that one that ends is a finding about one folder.
struct Folders {
  private static let batchCount = 2_000

  private let count: Int
  private let seed: UInt64
  private let first: Int
  private let arguments: Arguments
  private let kinds: [FolderFuzzer.Kind]

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    count = try arguments.number("count", default: 10_000)
    seed = try arguments.number("seed", default: System.anySeed())
    first = try arguments.number("from", default: 0)
    kinds =
      try arguments.text("kind").map { name in
        guard let kind = FolderFuzzer.Kind(rawValue: name) else {
          let names = FolderFuzzer.Kind.allCases.map(\.rawValue).joined(separator: ", ")
          throw UsageError("'\(name)' is no kind of folder: \(names)")
        }
        return [kind]
      } ?? FolderFuzzer.Kind.allCases
  }

  func run() throws -> Outcome {
    if let progress = arguments.text("progress") { playHere(noting: progress) }
    let folder = try Files.makeTemporaryFolder(in: arguments.text("in") ?? Child.temporaryFolder)
    let (start, progress) = (System.seconds, "\(folder)/progress")
    var (next, aborts, wrong) = (first, 0, 0)
    while next < first + count {
      let end = min(next + Self.batchCount, first + count)
      var words = [System.program, "folders", "--seed", "\(seed)", "--progress", progress]
      words += ["--from", "\(next)", "--count", "\(end - next)"]
      if let kind = arguments.text("kind") { words += ["--kind", kind] }
      if arguments.has("on-disk") { words += ["--on-disk", "--in", folder] }
      let ending = try Child.start(words).wait()
      // The number of the last one that was begun, and how many were wrong.
      let numbers = Files.text(of: progress).split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2 else { throw System.Trouble(description: "\(words): \(ending)") }
      wrong += numbers[1]
      if ending == .exited(0) {
        next = end
      } else {
        aborts += 1
        System.say("ABORTED, \(ending): \(replay(numbers[0]))")
        next = numbers[0] + 1
      }
    }
    try Files.removeFolder(folder)
    System.say(
      "folders: \(count) damaged, aborts \(aborts), wrong \(wrong); "
        + "\(Int(System.seconds - start)) s (--seed \(seed))")
    if aborts + wrong > 0 { throw BrokenPromise("\(aborts + wrong) of \(count) folders") }
    return .held
  }

  private func replay(_ number: Int) -> String {
    let kind = arguments.text("kind").map { " --kind \($0)" } ?? ""
    let disk = arguments.has("on-disk") ? " --on-disk" : ""
    return "crdt-torture folders --seed \(seed) --from \(number) --count 1\(kind)\(disk)"
  }

  /// Plays them one after the other, and ends the process.
  private func playHere(noting progress: String) -> Never {
    // More than any of them may take, and less than what one would that is believed.
    System.limitMemory(bytes: 4 << 30)
    Task.detached {
      let (fuzzer, place) = (FolderFuzzer(), arguments.text("in").map { "\($0)/folder" })
      var wrong = 0
      for number in first..<first + count {
        Files.replaceText(of: progress, by: "\(number) \(wrong)")
        let kind = kinds[number % kinds.count]
        var numbers = SeededGenerator(seed: seed, stream: UInt64(number))
        let own = numbers.next()
        do {
          let found = try await fuzzer.play(
            kind, seed: own, onDisk: arguments.has("on-disk") ? place : nil)
          guard let found else { continue }
          wrong += 1
          System.say("WRONG: \(kind.rawValue): \(found)\n  \(replay(number))")
        } catch {
          wrong += 1
          System.say(
            "WRONG: \(kind.rawValue): it could not be played: \(error)\n  \(replay(number))")
        }
      }
      Files.replaceText(of: progress, by: "\(first + count) \(wrong)")
      System.exitNow(0)
    }
    while true { System.pause(microseconds: 1_000_000) }
  }
}
