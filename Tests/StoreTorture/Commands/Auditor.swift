import CRDTKit
import CRDTStore
import Toolkit

/// Opens a store that a writer left behind, and checks what was promised: all that
/// was acknowledged is there, what is there is a prefix of what was committed, and
/// it can be gone on from there.
struct Auditor {
  private let path: String
  private let workload: Workload
  private let acks: String
  private var options: Store.Options
  private let mayBeFull: Bool
  private let isReadOnly: Bool

  init(_ arguments: Arguments) throws {
    path = try arguments.folder
    workload = Workload(seed: try arguments.number("seed", default: 1))
    guard let acks = arguments.text("acks") else { throw UsageError("--acks is missing") }
    self.acks = acks
    var options = try Store.Options(arguments)
    options.createsIfMissing = try Acknowledgements.latest(at: acks) == 0
    self.options = options
    mayBeFull = arguments.has("full")
    isReadOnly = arguments.has("read-only")
    if isReadOnly { self.options.access = .readOnly }
  }

  func run() throws -> Outcome {
    let acknowledged = try Acknowledgements.latest(at: acks)
    if isReadOnly, acknowledged == 0 {
      System.say("ok commits=0 acknowledged=0: there may be none")
      return .held
    }
    let store: Store
    do { store = try open() } catch let outcome as Outcome { return outcome }
    let recovery = store.recovery
    let found = try check(store.document, acknowledged: acknowledged, "after it was opened")
    if isReadOnly {
      System.say("ok commits=\(found) acknowledged=\(acknowledged)")
      return .held
    }
    guard !recovery.isCopy else { throw BrokenPromise("the store took itself for a copy") }
    guard !recovery.usedOlderSnapshot else { throw BrokenPromise("an older snapshot was used") }
    var expected = found
    do throws(StoreError) {
      try store.edit { workload.make(found + 1, in: &$0) }
      expected += 1
    } catch {
      guard mayBeFull else { throw BrokenPromise("the next commit failed: \(error)") }
    }
    if expected > found { try Acknowledgements(acks).note(expected) }
    // Now and then it isn't closed in good order.
    if found % 3 != 0 { _ = try? store.close() } else { try close(store) }
    let again = try open()
    let last = try check(again.document, acknowledged: expected, "after it was opened again")
    guard last <= found + 1 else { throw BrokenPromise("it has a commit that nobody made") }
    System.say(
      "ok commits=\(found) acknowledged=\(acknowledged) replayed=\(recovery.changesReplayed) "
        + "torn=\(recovery.bytesSetAside) closed=\(recovery.wasClosed)")
    return .held
  }

  private func close(_ store: Store) throws {
    do throws(StoreError) { try store.close() } catch {
      guard mayBeFull else { throw BrokenPromise("it could not be closed: \(error)") }
    }
  }

  private func open() throws -> Store {
    do throws(StoreError) {
      return try Store.open(at: path, schema: Workload.schema, options: options)
    } catch {
      if isReadOnly, case .system(let cause, _) = error, Self.diskErrors.contains(cause.code) {
        System.say("unreadable: \(error)")
        throw Outcome.refused
      }
      throw BrokenPromise("it doesn't open: \(error)")
    }
  }

  /// What Linux says of files that it can't make sense of: EIO and EUCLEAN.
  private static let diskErrors: Set<Int32> = [5, 117]

  /// Compares the document with what was committed; gives the number of the last
  /// commit.
  private func check(
    _ document: Document, acknowledged: UInt64, _ moment: String
  ) throws -> UInt64 {
    guard let last = Workload.lastNumber(in: document) else {
      throw BrokenPromise("\(moment), the number of the last commit is none")
    }
    guard last >= acknowledged else {
      throw BrokenPromise(
        "\(moment), the last commit is \(last), and \(acknowledged) was acknowledged: LOST")
    }
    let (found, expected) = (Workload.contents(of: document), workload.contents(after: last))
    guard found == expected else {
      throw BrokenPromise(
        "\(moment), it isn't as after commit \(last): \(Self.difference(found, expected))")
    }
    return last
  }

  /// The first record that is another one.
  private static func difference(
    _ found: Workload.Contents, _ expected: Workload.Contents
  ) -> String {
    for collection in Set(found.keys).union(expected.keys).sorted() {
      let (left, right) = (found[collection] ?? [:], expected[collection] ?? [:])
      for record in Set(left.keys).union(right.keys).sorted() where left[record] != right[record] {
        return "\(collection)/\(record) is \(brief(left[record])), not \(brief(right[record]))"
      }
    }
    return "they are equal"
  }

  private static func brief(_ fields: [String: Document.Value]?) -> String {
    guard let fields else { return "missing" }
    return fields.sorted { $0.key < $1.key }.map { "\($0.key) = \("\($0.value)".prefix(24))" }
      .joined(separator: ", ")
  }
}
