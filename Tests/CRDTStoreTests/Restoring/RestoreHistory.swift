import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation

/// Stores whose folders are copied, put back and used in several places at random, and what
/// they must hold.
///
/// Each commit makes a record that says which commit it is, so what a store has seen can be
/// read from it. What must be read there follows from that alone: counts, members of a set and
/// records that were removed.
final class RestoreHistory {
  /// What a commit did besides.
  private struct Commit {
    /// The commits that its maker had seen.
    var seen: Set<Int>
    /// The member and the record of another commit that it removed.
    var removed: Int?
    /// Whether it removed the counter, with all counts that its maker had seen.
    var removesCounter = false
  }

  private let folder: TemporaryFolder
  private var random: SeededGenerator
  private var commits: [Commit] = []
  private var stores: [String: Store] = [:]
  /// The commits that a backup has, by its name.
  private var backups: [String: (of: String, has: Set<Int>)] = [:]
  private var relayBackups: [String] = []
  private(set) var steps: [String] = []
  private(set) var failures: [String] = []

  private static let schema = Schema(
    collections: [
      "c": Schema.Collection(fields: ["count": .counter, "some": .counter, "tags": .set])
    ])

  init(seed: UInt64) throws {
    folder = try TemporaryFolder()
    random = SeededGenerator(seed: seed)
    for name in ["a", "b", "c"] { stores[name] = try open(name) }
  }

  private func open(_ name: String) throws -> Store {
    var options = Store.Options()
    options.documentID = TestStores.document
    options.fileSystem = UnsyncedDisk(hidesCopies: true)
    options.compaction = .manual
    return try Store.open(
      at: "\(folder.path)/\(name)", schema: Self.schema, options: options)
  }

  private func reopen(_ name: String) throws {
    try stores[name]?.close()
    stores[name] = nil
    stores[name] = try open(name)
  }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// Puts a copy of a folder in the place of another, if that is there.
  private func copy(_ source: String, to target: String) throws {
    if FileManager.default.fileExists(atPath: path(target)) {
      try StoreFiles(path(target)).remove()
    }
    try StoreFiles(path(source)).copy(to: path(target))
  }
}

extension RestoreHistory {
  /// Does something at random.
  func step() throws {
    let names = stores.keys.sorted()
    let name = names.randomElement(using: &random) ?? "a"
    let other = names.randomElement(using: &random) ?? "a"
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<7: try commit(name)
    case 7:
      let count = Int.random(in: 2...25, using: &random)
      for _ in 0..<count {
        try reopen(name)
        try commit(name)
      }
    case 8:
      steps.append("\(name) is opened again")
      try reopen(name)
    case 9:
      steps.append("\(name) is compacted")
      try stores[name]?.compact()
    case 10, 11:
      let backup = "backup\(backups.count % 4)"
      steps.append("\(backup) of \(name)")
      backups[backup] = (name, try found(name))
      try stores[name]?.close()
      try copy(name, to: backup)
      stores[name] = try open(name)
    case 12, 13:
      guard let backup = backups.keys.sorted().randomElement(using: &random),
        let of = backups[backup]?.of
      else { return }
      steps.append("\(backup) is put back as \(of)")
      try stores[of]?.close()
      stores[of] = nil
      try copy(backup, to: of)
      stores[of] = try open(of)
    case 14:
      guard names.count < 5 else { return }
      let new = ["d", "e", "f"].first { !names.contains($0) } ?? "f"
      steps.append("\(new) is a copy of \(name)")
      try stores[name]?.close()
      try copy(name, to: new)
      (stores[name], stores[new]) = (try open(name), try open(new))
    case 15..<17 where name != other:
      steps.append("\(name) with \(other)")
      if let one = stores[name], let two = stores[other] {
        let report = try one.sync(with: .store(two))
        if let failure = report.failure { failures.append("a session fails: \(failure)") }
      }
    case 17, 18:
      let relay = Bool.random(using: &random) ? "relay" : "other relay"
      steps.append("\(name) by \(relay)")
      _ = try stores[name]?.sync(with: .folder(path(relay)))
    default:
      guard FileManager.default.fileExists(atPath: path("relay")) else { return }
      if relayBackups.isEmpty || Bool.random(using: &random) {
        steps.append("a copy of the relay's folder is made")
        try copy("relay", to: "old relay")
        relayBackups = ["old relay"]
      } else {
        steps.append("the relay's folder is put back")
        try copy("old relay", to: "relay")
      }
    }
    for name in stores.keys.sorted() { try check(name) }
  }

  private func commit(_ name: String) throws {
    let number = commits.count
    var commit = Commit(seen: try found(name))
    if Int.random(in: 0..<3, using: &random) == 0 {
      commit.removed = commit.seen.sorted().randomElement(using: &random)
    }
    commit.removesCounter = Int.random(in: 0..<8, using: &random) == 0
    steps.append(
      "\(number) at \(name)" + (commit.removed.map { ", removes \($0)" } ?? "")
        + (commit.removesCounter ? ", removes the counter" : ""))
    commits.append(commit)
    try stores[name]?.edit { edit in
      edit.set("value", of: "op \(number)", in: "c", to: .int(Int64(number)))
      edit.set("value", of: "deletable \(number)", in: "c", to: .int(Int64(number)))
      try edit.increment("count", of: "all", in: "c", by: 1)
      edit.insert(.string("\(number)"), into: "tags", of: "all", in: "c")
      if let removed = commit.removed {
        edit.remove(.string("\(removed)"), from: "tags", of: "all", in: "c")
        edit.delete("deletable \(removed)", in: "c")
      }
      if commit.removesCounter { edit.remove("some", of: "all", in: "c") }
      try edit.increment("some", of: "all", in: "c", by: 1)
    }
  }

  /// The commits that a store has.
  private func found(_ name: String) throws -> Set<Int> {
    guard let document = stores[name]?.document else { return [] }
    return Set(
      document.records(in: "c").compactMap { record in
        record.hasPrefix("op ") ? Int(record.dropFirst(3)) : nil
      })
  }

  /// Judges what a store reads as by the commits that it has.
  private func check(_ name: String) throws {
    guard let document = stores[name]?.document, !document.version.isEmpty else { return }
    let found = try found(name)
    func expect(_ read: Document.Value?, _ expected: Int, _ what: String) {
      let isRight = read == .int(Int64(expected)) || expected == 0 && read == nil
      if !isRight {
        failures.append("\(name): \(what) \(String(describing: read)), not \(expected)")
      }
    }
    expect(document.value(of: "count", of: "all", in: "c"), found.count, "the count is")
    let removers = found.filter { commits[$0].removesCounter }
    let counted = found.filter { number in
      !removers.contains { commits[$0].seen.contains(number) }
    }
    expect(document.value(of: "some", of: "all", in: "c"), counted.count, "some is")
    let removed = Set(found.compactMap { commits[$0].removed })
    let tags = found.subtracting(removed).map { Document.Value.string("\($0)") }
    if case .array(let members)? = document.value(of: "tags", of: "all", in: "c") {
      if Set(members) != Set(tags) { failures.append("\(name): the set is \(members)") }
    } else if !tags.isEmpty {
      failures.append("\(name): there is no set")
    }
    let deletable = Set(
      document.records(in: "c").filter { $0.hasPrefix("deletable ") }.compactMap {
        Int($0.dropFirst(10))
      })
    if deletable != found.subtracting(removed) {
      failures.append("\(name): of the records there are \(deletable.sorted())")
    }
    if let copy = try? Document(decoding: document.encoded()) {
      if copy.contentDigest != document.contentDigest || copy.version != document.version {
        failures.append("\(name): what is read back is another document")
      }
    } else {
      failures.append("\(name): can't be read back")
    }
  }

  /// Brings all stores together that there are, and judges them.
  func finish() throws {
    var required: Set<Int> = []
    for name in stores.keys { required.formUnion(try found(name)) }
    let names = stores.keys.sorted()
    let byRelay = Bool.random(using: &random)
    steps.append(byRelay ? "all by the relay" : "all with each other")
    for round in 0..<8 {
      var isQuiet = true
      for name in names {
        guard let store = stores[name] else { continue }
        if byRelay {
          let report = try store.sync(with: .folder(path("relay")))
          isQuiet = isQuiet && report.isSynchronized && report.findings.isEmpty
        } else {
          for other in names where other != name {
            guard let other = stores[other] else { continue }
            let report = try store.sync(with: .store(other))
            isQuiet = isQuiet && report.isSynchronized
            if let failure = report.failure { failures.append("a session fails: \(failure)") }
          }
        }
        try check(name)
      }
      if isQuiet, round > 0 { break }
      if round == 7 { failures.append("there is no end") }
    }
    let first = stores[names[0]]
    for name in names {
      let lost = required.subtracting(try found(name))
      if !lost.isEmpty { failures.append("\(name) lacks \(lost.sorted())") }
      if stores[name]?.document.encoded() != first?.document.encoded() {
        failures.append("\(name) has other bytes than \(names[0])")
      }
      try reopen(name)
      try check(name)
      if stores[name]?.document.encoded() != first?.document.encoded() {
        failures.append("\(name), opened again, has other bytes")
      }
    }
    for name in names { try stores[name]?.close() }
  }
}
