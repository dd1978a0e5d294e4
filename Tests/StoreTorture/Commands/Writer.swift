import CRDTKit
import CRDTStore
import Toolkit

/// Commits to a store until it is killed, and notes each commit that the store has
/// acknowledged.
struct Writer {
  private let path: String
  private let workload: Workload
  private let acknowledgements: Acknowledgements
  private let options: Store.Options
  private let relaxedShare: UInt64
  private let threads: Int
  private let tasks: Int
  private let milliseconds: UInt32

  init(_ arguments: Arguments) throws {
    path = try arguments.folder
    workload = Workload(seed: try arguments.number("seed", default: 1))
    guard let acks = arguments.text("acks") else { throw UsageError("--acks is missing") }
    acknowledgements = try Acknowledgements(acks)
    options = try Store.Options(arguments)
    relaxedShare = try arguments.number("relaxed-share", default: 0)
    threads = try arguments.number("threads", default: 1)
    tasks = try arguments.number("tasks", default: 0)
    milliseconds = try arguments.number("milliseconds", default: 0)
    System.failBeyondSizeLimit()
  }

  func run() throws -> Outcome {
    if tasks > 0 { startTasks() }
    let store: Store
    do throws(StoreError) {
      store = try Store.open(at: path, schema: Workload.schema, options: options)
    } catch {
      return Self.refusal(error)
    }
    let count = try Count(store.document)
    for _ in 1..<max(1, threads) { try System.startThread { write(to: store, count) } }
    if milliseconds > 0 {
      try System.startThread { write(to: store, count) }
      System.pause(microseconds: milliseconds * 1_000)
      do throws(StoreError) { try store.close() } catch { return Self.stopping(error) }
      return .held
    }
    write(to: store, count)
    return .held
  }

  /// Commits until the store refuses to.
  private func write(to store: Store, _ count: Count) {
    while true {
      let isFull = isFull(count)
      do throws(StoreError) {
        let number = try store.edit(isFull ? .full : .relaxed) { edit in
          let number = count.next()
          workload.make(number, in: &edit)
          return number
        }
        if isFull { note(number) }
      } catch {
        if case .closed = error { return }
        // Once it has stopped it must not take anything any more.
        for durability in [Store.Durability.full, .relaxed, .full] {
          guard (try? store.edit(durability, { workload.make(count.next(), in: &$0) })) == nil
          else { end(.broken, "a commit was taken after \(error)") }
        }
        end(Self.stopping(error), nil)
      }
    }
  }

  /// Commits from tasks, which end the process when the store refuses to.
  ///
  /// The entry of the program is no task itself: then all writers would need the
  /// descriptors that the tasks' runtime opens, and not only these.
  private func startTasks() -> Never {
    Task.detached {
      let store: Store
      do throws(StoreError) {
        store = try await Store.open(at: path, schema: Workload.schema, options: options)
      } catch {
        end(Self.refusal(error), nil)
      }
      guard let count = try? Count(store.document) else { end(.broken, "there is no last number") }
      for _ in 0..<tasks { Task.detached { await write(to: store, count) } }
    }
    while true { System.pause(microseconds: 1_000_000) }
  }

  private func write(to store: Store, _ count: Count) async {
    while true {
      let isFull = isFull(count)
      do throws(StoreError) {
        let number = try await store.edit(isFull ? .full : .relaxed) { edit in
          let number = count.next()
          workload.make(number, in: &edit)
          return number
        }
        if isFull { note(number) }
      } catch {
        for durability in [Store.Durability.full, .relaxed, .full] {
          guard (try? await store.edit(durability, { workload.make(count.next(), in: &$0) })) == nil
          else { end(.broken, "a commit was taken after \(error)") }
        }
        end(Self.stopping(error), nil)
      }
    }
  }

  private func isFull(_ count: Count) -> Bool {
    var random = SystemRandomNumberGenerator()
    return relaxedShare == 0 || random.next() % 100 >= relaxedShare
  }

  private func note(_ number: UInt64) {
    do throws(System.Failure) { try acknowledgements.note(number) } catch {
      end(.trouble, "\(error)")
    }
  }

  private func end(_ outcome: Outcome, _ message: String?) -> Never {
    if let message { System.report(message) }
    System.exitNow(outcome.rawValue)
  }

  /// What it means that a store could not be opened.
  static func refusal(_ error: StoreError) -> Outcome {
    System.report("not opened: \(error)")
    if case .locked = error { return .locked }
    if case .damaged = error { return .broken }
    return .refused
  }

  private static func stopping(_ error: StoreError) -> Outcome {
    System.report("stopped: \(error)")
    return .stopped
  }
}

extension Writer {
  /// The numbers of commits.
  ///
  /// Only the bodies of edits count, one of which is run at a time.
  private final class Count: @unchecked Sendable {
    private var last: UInt64

    init(_ document: Document) throws {
      guard let last = Workload.lastNumber(in: document) else {
        throw BrokenPromise("the number of the last commit is none")
      }
      self.last = last
    }

    func next() -> UInt64 {
      last += 1
      return last
    }
  }
}
