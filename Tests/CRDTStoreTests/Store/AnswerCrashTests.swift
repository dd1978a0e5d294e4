import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// Threads that write and ask at once, on a disk that takes its time.
///
/// A note's likes only go up, so each answer sets a floor: a power cut after it must leave
/// at least as many. Nothing is expected of who comes first.
@Suite("Answers and power cuts")
struct AnswerCrashTests {
  /// What an answer said, and how many calls the file system had had when it came.
  private struct Answer {
    var call: Int
    var likes: Int
    var question: String
  }

  private struct Refusal: Error {
    let likes: Int
  }

  /// Does something by chance; gives the likes that the answer rests on, `nil` where it
  /// promises nothing.
  private static func ask(
    _ store: Store, _ random: inout SeededGenerator
  ) throws -> (likes: Int, question: String)? {
    func likes(_ tx: inout Store.Transaction) throws -> Int {
      try tx.get(ScenarioNote.self, "n")?.likes ?? 0
    }
    var seen = 0
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      try store.write { tx in
        seen = try likes(&tx) + 1
        try tx.update(ScenarioNote.self, "n") { $0.likes += 1 }
      }
      return (seen, "count")
    case 1:
      try store.write(.relaxed) { try $0.update(ScenarioNote.self, "n") { $0.likes += 1 } }
      return nil
    case 2:
      try store.write { seen = try likes(&$0) }
      return (seen, "read in a transaction")
    case 3:
      do {
        try store.write { throw Refusal(likes: try likes(&$0)) }
        return nil
      } catch let refusal as Refusal { return (refusal.likes, "throw") }
    case 4:
      do {
        try store.write { tx in
          seen = try likes(&tx)
          try tx.create(ScenarioNote(id: "n"))
        }
        return nil
      } catch is RecordError { return (seen, "create again") }
    default:
      let value = try store.edit { $0.value(of: "likes", of: "n", in: "notes") }
      guard case .int(let count)? = value else { return nil }
      return (Int(count), "read in an edit")
    }
  }

  @Test("Every answer of threads that write and ask at once outlasts a power cut")
  func storm() async throws {
    let files = SimulatedFileSystem()
    var options = TestStores(files).options
    options.fileSystem = GatedFileSystem(base: files) { Thread.sleep(forTimeInterval: 0.0005) }
    let store = try await Store.open(at: "/s", for: ScenarioNote.self, options: options)
    try await store.write { try $0.create(ScenarioNote(id: "n")) }
    let answers = Guarded<[Answer]>([])
    let failures = Guarded<[String]>([])
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          await onThread {
            var random = SeededGenerator(seed: UInt64(number))
            for _ in 0..<(isLongRun ? 2_000 : 60) {
              do {
                guard let (likes, question) = try Self.ask(store, &random) else { continue }
                let call = files.callCount
                answers.withLock {
                  $0.append(Answer(call: call, likes: likes, question: question))
                }
              } catch {
                failures.withLock { $0.append("\(error)") }
              }
            }
          }
        }
      }
    }
    try await store.close()
    #expect(failures.withLock { $0 } == [])
    let found = try lost(answers.withLock { $0 }, files.history)
    #expect(found.failures == [])
    #expect(found.imageCount > 100)
  }

  /// The answers that a power cut right after them takes the grounds from.
  private func lost(
    _ answers: [Answer], _ history: CrashHistory
  ) throws -> (failures: [String], imageCount: Int) {
    var (failures, imageCount): ([String], Int) = ([], 0)
    var held: [UInt64: Int] = [:]
    var cursor = DiskCursor(history)
    for answer in answers.sorted(by: { $0.call < $1.call }) {
      cursor.advance(to: answer.call)
      for crash in cursor.images(.few, seed: 1) {
        imageCount += 1
        let likes = try held[crash.image.fingerprint] ?? likes(in: crash.image)
        held[crash.image.fingerprint] = likes
        guard likes < answer.likes, failures.count < 3 else { continue }
        failures.append("\(answer), and a power cut leaves \(likes): \(crash)")
      }
    }
    return (failures, imageCount)
  }

  private func likes(in image: DiskImage) throws -> Int {
    let options = TestStores(SimulatedFileSystem(image), replicasAfter: 100).options
    let store = try Store.open(at: "/s", for: ScenarioNote.self, options: options)
    defer { try? store.close() }
    return try store.get(ScenarioNote.self, "n")?.likes ?? 0
  }
}

/// Runs a body on a thread of its own, which it may hold up.
private func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      body()
      continuation.resume()
    }
  }
}
