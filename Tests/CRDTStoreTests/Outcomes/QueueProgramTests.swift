import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// A record several apps write: a field of each app's own, shared ones, nested ones.
struct WrittenRecord: Codable, Hashable, Identifiable, Replicated {
  struct Spot: Codable, Hashable, Sendable {
    var city: String
    var zip: Int?
  }
  let id: String
  var own0 = ""
  var own1 = ""
  var own2 = ""
  var shared = ""
  var likes = 0
  var tags: Set<String> = []
  var place: Spot? = Spot(city: "p")
  var parts: [String: Spot] = [:]
  var fixed = Spot(city: "f")
  var extra = ""
  static let collection = "recs"
  static let serverAccess = ServerAccess.queued
  @TaskLocal static var hasPeers = false
  static var rules: Rules {
    hasPeers
      ? Rules([.tags: .set] as [CodingKeys: Schema.FieldRule])
      : Rules([CodingKeys.likes: .counter, .tags: .set])
  }
}

final class QueueProgram {
  struct Cell {
    var value: String
    var commit: Int
  }
  struct Made {
    var receipt: Store.Receipt
    var app: Int
    var commit: Int
    var likes: Int = 0
    var inserted: String?
    var removed: String?
    var own: (value: String, before: String)?
    var isUndone = false
    var reverted = false
    var isUndo = false
  }
  var random: SeededGenerator
  let hasPeers: Bool
  let apps: Int
  let transport = FakeServer()
  var stores: [TestStores] = []
  var open: [Store] = []
  var outs: [Outbox] = []
  var log: [String] = []
  var made: [Made] = []
  var cells: [Cell] = []
  var likes = 0
  var serverLikes = 0
  var number = 0
  var tagsActive: [String: (ins: Bool, removals: Int, doubt: Bool)] = [:]
  var drafts: [Store.Draft<WrittenRecord>?] = []
  let clock = ManualClock(milliseconds: 1_750_000_000_000)
  var usesLetters: Bool
  var usesUndo: Bool
  var nested: Bool
  let events = Guarded<[Store.Event]>([])

  init(seed: UInt64, mode: Int) async throws {
    random = SeededGenerator(seed: seed &* 7919 &+ UInt64(mode))
    self.seed = seed &* 7919 &+ UInt64(mode)
    hasPeers = mode & 1 == 1
    usesLetters = mode & 2 == 2
    usesUndo = mode & 4 == 4
    nested = mode & 8 == 8
    apps = hasPeers ? 2 : Int.random(in: 1...2, using: &random)
    await transport.change { [t = ReferenceServer.Times.allCases[Int(seed % 3)]] in
      $0.server.times = t
    }
    await transport.keepTime(by: clock)
    for app in 0..<apps {
      stores.append(TestStores(replicasAfter: UInt64(app) * 1000))
      open.append(try await openStore(app))
      outs.append(open[app].outbox(over: transport))
      cells.append(Cell(value: "", commit: -1))
      drafts.append(nil)
    }
    _ = try await open[0].write { try $0.create(WrittenRecord(id: "r")) }
    await syncAll()
  }
  func openStore(_ app: Int) async throws -> Store {
    var options = stores[app].options
    options.clock = clock
    options.onEvent = { [events] e in events.withLock { $0.append(e) } }
    return try await WrittenRecord.$hasPeers.withValue(hasPeers) { [options] in
      try await Store.open(at: "/store", for: WrittenRecord.self, options: options)
    }
  }
  func syncAll() async {
    for out in outs {
      clock.milliseconds += 100_000
      out.retryWaiting()
      _ = await out.sync()
    }
  }

  func int(_ r: ClosedRange<Int>) -> Int { Int.random(in: r, using: &random) }

  func kill(_ app: Int) async throws {
    log.append("\(app) killed")
    try await open[app].flush()
    let image = stores[app].files.seenImage
    stores[app].files.killProcess()
    stores[app] = TestStores(
      SimulatedFileSystem(image), replicasAfter: UInt64(app) * 1000 + 100 * UInt64(number + 1))
    open[app] = try await openStore(app)
    outs[app] = open[app].outbox(over: transport)
    drafts[app] = nil
  }

  func change(_ r: inout WrittenRecord, _ app: Int, _ m: inout Made, isDraft: Bool) {
    for _ in 0..<int(1...2) {
      let v = "\(app).\(number).\(int(0...9))"
      switch int(0...(nested ? 9 : 4)) {
      case 0:
        if isDraft {
          r.shared = v
          continue
        }
        switch app {
        case 0: r.own0 = v
        case 1: r.own1 = v
        default: r.own2 = v
        }
      case 1: r.shared = v
      case 2: if hasPeers { r.shared = v } else { r.likes += int(-2...3) }
      case 3:
        if !isDraft || true {
          r.tags.insert("t\(number)")
          m.inserted = "t\(number)"
        }
      case 4:
        if m.inserted == nil, m.removed == nil,
          let t = r.tags.filter({ tagsActive[$0]?.removals == 0 && tagsActive[$0]?.ins == true })
            .sorted().randomElement(using: &random)
        {
          r.tags.remove(t)
          m.removed = t
        }
      case 5:
        if !isDraft {
          r.place =
            r.place == nil ? .init(city: v, zip: Bool.random(using: &random) ? number : nil) : nil
        } else {
          r.place?.city = v
        }
      case 6:
        let has = r.place?.zip != nil
        r.place?.zip = has ? nil : number
      case 7:
        if r.parts.isEmpty || Bool.random(using: &random) {
          r.parts["k\(int(0...1))"] = .init(city: v, zip: number)
        }
      case 8: r.fixed.city = v
      default: r.fixed.zip = Bool.random(using: &random) ? number : nil
      }
    }
  }

  func own(_ r: WrittenRecord, _ app: Int) -> String {
    app == 0 ? r.own0 : app == 1 ? r.own1 : r.own2
  }

  func record(_ m: Made, base: WrittenRecord, new: WrittenRecord) {
    var m = m
    m.likes = hasPeers ? 0 : new.likes - base.likes
    likes += m.likes
    if let t = m.inserted, new.tags.contains(t), !base.tags.contains(t) {
      tagsActive[t] = (true, 0, false)
    } else {
      m.inserted = nil
    }
    if let t = m.removed, !new.tags.contains(t), base.tags.contains(t) {
      tagsActive[t]?.removals += 1
    } else {
      m.removed = nil
    }
    if own(base, m.app) != own(new, m.app) {
      m.own = (own(new, m.app), cells[m.app].value)
      cells[m.app] = Cell(value: own(new, m.app), commit: m.commit)
    }
    made.append(m)
  }

  var skip: Set<Int> = []
  var seed: UInt64 = 0
  func step() async throws -> String? {
    number += 1
    random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    if skip.contains(number) { return nil }
    clock.milliseconds += 10
    let app = int(0...(apps - 1))
    switch int(0...29) {
    case 0..<10:
      guard let base = try open[app].get(WrittenRecord.self, "r") else {
        return "r is gone at \(app)"
      }
      var new = base
      var m = Made(receipt: made.last?.receipt ?? blanks[0], app: app, commit: number)
      change(&new, app, &m, isDraft: false)
      if new == base { return nil }
      log.append("\(number) \(app) writes \(diff(base, new))")
      m.receipt = try await open[app].write { [new] tx in
        try tx.update(WrittenRecord.self, "r") { $0 = new }
      }
      record(m, base: base, new: new)
    case 10, 11:
      drafts[app] = try open[app].draft(WrittenRecord.self, "r")
      log.append("\(number) \(app) opens a draft")
    case 12, 13:
      guard let d = drafts[app] else { return nil }
      drafts[app] = nil
      var form = d
      var m = Made(receipt: made.last?.receipt ?? blanks[0], app: app, commit: number)
      change(&form.model, app, &m, isDraft: true)
      log.append("\(number) \(app) commits a draft \(diff(form.base, form.model))")
      let now = try open[app].get(WrittenRecord.self, "r")
      if let t = m.removed, now?.tags.contains(t) == false { tagsActive[t]?.doubt = true }
      let filled = form
      m.receipt = try await open[app].write { try $0.commit(filled) }
      if let omission = m.receipt.omissions.first { log.append("  omitted \(omission)") }
      if m.receipt.dot != nil { record(m, base: form.base, new: form.model) }
    case 14..<18:
      if usesUndo { return try await undo(app) }
    case 18..<21:
      let r = await outs[app].sync()
      log.append(
        "\(number) \(app) syncs: \(r.accepted) accepted \(r.conflicts) conflicts \(r.deadLettered) dead; \(r.interruption.map { "\($0)" } ?? "")"
      )
    case 21:
      let p = await outs[app].pull()
      log.append("\(number) \(app) pulls \(p.changed)")
    case 22:
      let p = await outs[app].drain()
      log.append("\(number) \(app) drains \(p.accepted)")
    case 23: try await kill(app)
    case 24:
      if hasPeers {
        log.append("\(number) peers merge")
        try await open[0].merge(with: open[1])
      }
    case 25: try await serverEdit()
    case 26: await trouble()
    case 27: if usesLetters { try await letters(app) }
    case 28:
      clock.milliseconds += UInt64(int(1...40_000))
      for o in outs { o.retryWaiting() }
    default:
      if int(0...3) == 0 {
        log.append("\(number) \(app) compacts")
        try await open[app].compact()
      }
    }
    return nil
  }

  func diff(_ a: WrittenRecord, _ b: WrittenRecord) -> String {
    let m = Mirror(reflecting: a)
    let n = Mirror(reflecting: b)
    return zip(m.children, n.children).compactMap { x, y in
      "\(x.value)" == "\(y.value)" ? nil : "\(x.label ?? ""): \(x.value) -> \(y.value)"
    }.joined(separator: "; ").replacingOccurrences(of: "CRDTStoreTests.WrittenRecord.", with: "")
  }

  func undo(_ app: Int) async throws -> String? {
    let mine = made.indices.filter { made[$0].app == app }
    guard let i = mine.suffix(5).randomElement(using: &random) else { return nil }
    let m = made[i]
    var receipt = m.receipt
    if Bool.random(using: &random) {
      receipt = try JSONDecoder().decode(Store.Receipt.self, from: JSONEncoder().encode(receipt))
    }
    if m.isUndone {
      do {
        let r = try await open[app].undo(receipt)
        return "undone twice: \(r)"
      } catch is RecordError { return nil }
    }
    let before = try #require(try open[app].get(WrittenRecord.self, "r"))
    let u = try await open[app].undo(receipt)
    let after = try #require(try open[app].get(WrittenRecord.self, "r"))
    log.append("\(number) \(app) undoes \(m.commit): \(diff(before, after)) \(u.omissions)")
    guard u.dot != nil else {
      if m.own != nil, cells[app].commit == m.commit, u.omissions.isEmpty {
        return "undid nothing, said nothing"
      }
      return nil
    }
    made[i].isUndone = true
    let left = Set(u.omissions.map { $0.field?.names.first ?? "" })
    if left.contains("tags") {
      for t in [m.inserted, m.removed].compactMap({ $0 }) { tagsActive[t]?.doubt = true }
    }
    if left.contains("") { return nil }
    var n = Made(receipt: u, app: app, commit: number, isUndo: true)
    if m.likes != 0, !left.contains("likes"), !m.reverted {
      n.likes = -m.likes
      likes -= m.likes
    }
    if let t = m.inserted, !left.contains("tags") {
      if m.isUndo {
        tagsActive[t]?.removals -= 1
        if m.isUndo { tagsActive[t]?.doubt = true }
      } else {
        tagsActive[t]?.ins = false
        n.removed = t
        if (tagsActive[t]?.removals ?? 0) > 0 { tagsActive[t]?.doubt = true }
        if m.isUndo == false { n.inserted = nil }
      }
    }
    if let t = m.removed, !left.contains("tags") { tagsActive[t]?.doubt = true }
    if m.inserted != nil || m.removed != nil {
      if let t = m.inserted ?? m.removed, m.isUndo || m.reverted { tagsActive[t]?.doubt = true }
    }
    if let o = m.own {
      let name = "own\(app)"
      if hasPeers {
      } else if cells[app].commit == m.commit {
        if left.contains(name) { return "own value of \(m.commit) was left: \(u.omissions)" }
        cells[app] = Cell(value: o.before, commit: number)
        n.own = (o.before, o.value)
      } else if !left.contains(name) {
        return "undid \(m.commit)'s \(name), which \(cells[app].commit) wrote since"
      }
    }
    made.append(n)
    return nil
  }

  func serverEdit() async throws {
    let record = Document.RecordID("r", in: "recs")
    guard let known = await transport.service.server.record(record), !known.isDeleted else {
      return
    }
    var fields: [String: Document.Value] = [:]
    switch int(0...3) {
    case 0: fields["extra"] = .string("s\(number)")
    case 1: fields["shared"] = .string("s\(number)")
    case 2:
      if !hasPeers, case .int(let n)? = known.fields["likes"] {
        fields["likes"] = .int(n + 10)
        likes += 10
      }
    default: fields["extra"] = .string("s\(number)")
    }
    log.append("\(number) server: \(fields)")
    let f = fields
    await transport.change { $0.server.edit(record, f) }
  }

  func trouble() async {
    let c = int(0...6)
    log.append("\(number) trouble \(c)")
    let (l, n) = (
      usesLetters,
      ["own0", "own1", "likes", "tags", "place", "shared"].randomElement(using: &random) ?? "own0"
    )
    await transport.change { s in
      switch c {
      case 0: s.isDown = true
      case 1: s.answersToLose += 1
      case 2, 3: if l { s.server.rejectedFields[FieldPath([n])] = "no" }
      default:
        s.isDown = false
        s.server.rejectedFields = [:]
      }
    }
  }

  func letters(_ app: Int) async throws {
    guard let letter = outs[app].deadLetters.randomElement(using: &random) else { return }
    if Bool.random(using: &random) || letter.kind != .update {
      log.append("\(number) \(app) retries \(letter.id)")
      return try await outs[app].retry(letter.id)
    }
    // which commits are in it
    let inside = made.indices.filter {
      made[$0].app == app && made[$0].receipt.operations.contains(letter.id)
    }
    log.append(
      "\(number) \(app) reverts \(letter.id), commits \(inside.map { made[$0].commit }): \(letter.changes)"
    )
    _ = try await outs[app].discard(letter.id, revertingChanges: true)
    for case .increment(let a) in letter.changes.map(\.change) { likes -= Int(a) }
    for i in inside { made[i].reverted = true }
    for c in letter.changes {
      switch c.change {
      case .insert(let e), .take(let e):
        for case .string(let t) in e { tagsActive[t]?.doubt = true }
      default: break
      }
    }
    // The own field: is the cell's value one of these commits'?
    if inside.contains(where: { made[$0].commit == cells[app].commit && made[$0].own != nil }) {
      guard let now = try open[app].get(WrittenRecord.self, "r") else { return }
      let first = try #require(inside.first { made[$0].own != nil })
      let chain = Set([made[first].own?.before])
      let value = own(now, app)
      // Its value from before, or from before something reverted.
      if !chain.contains(value), !made.contains(where: { $0.app == app && $0.own?.before == value })
      {
        log.append("!!! reverted own\(app) to \(value), not \(chain)")
      }
      if value == cells[app].value {
        log.append("!!! own\(app) not reverted")
        failure = "own\(app) was not reverted by the letter"
      }
      cells[app] = Cell(value: value, commit: number)
    }
  }
  var failure: String?
  /// A receipt to begin with.
  var blanks: [Store.Receipt] = []
  func plain(_ f: [String: Document.Value]) -> [String: Document.Value] {
    f.compactMapValues { v in
      if case .null = v { return nil }
      if case .object(let o) = v { return .object(plain(o)) }
      return v
    }
  }

  func check() throws -> String? {
    for app in 0..<apps {
      let r: WrittenRecord?
      do { r = try open[app].get(WrittenRecord.self, "r") } catch {
        return "r unreadable at \(app): \(error)"
      }
      guard let r else { return "r is gone at \(app)" }
      if hasPeers {
        cells[app].value = own(r, app)
        cells[app].commit = -5
      }
      if own(r, app) != cells[app].value {
        return "own\(app) is '\(own(r, app))', not '\(cells[app].value)'"
      }
      let un = open[app].all(WrittenRecord.self).unreadable
      if !un.isEmpty { return "unreadable \(un)" }
    }
    return nil
  }

  func ending() async throws -> String? {
    await transport.change { s in
      s.isDown = false
      s.answersToLose = 0
      s.failures = []
      s.server.rejectedFields = [:]
      s.server.delaysLeft = [:]
    }
    for _ in 0..<6 {
      for app in 0..<apps {
        clock.milliseconds += 120_000
        for l in outs[app].deadLetters {
          log.append("retry \(l.id) \(l.changes)")
          try await outs[app].retry(l.id)
        }
        outs[app].retryWaiting()
        _ = await outs[app].sync()
      }
      if hasPeers { try await open[0].merge(with: open[1]) }
    }
    if let wrong = try check() { return "in the end " + wrong }
    let server = plain(
      await transport.service.server.record(Document.RecordID("r", in: "recs"))?.fields ?? [:])
    for app in 0..<apps {
      if !outs[app].pending.isEmpty || !outs[app].deadLetters.isEmpty {
        return "left \(outs[app].pending) \(outs[app].deadLetters)"
      }
      let r = try #require(try open[app].get(WrittenRecord.self, "r"))
      let local = plain(open[app].document.fields(of: "r", in: "recs") ?? [:])
      if local != server {
        let d = Set(local.keys).union(server.keys).filter { local[$0] != server[$0] }
        return
          "app \(app) and server differ in \(d.sorted().map { "\($0): \(String(describing: local[$0])) / \(String(describing: server[$0]))" })"
      }
      if !hasPeers, r.likes != likes { return "likes \(r.likes), not \(likes)" }
      for (t, s) in tagsActive where !s.doubt && !hasPeers {
        if r.tags.contains(t) != (s.ins && s.removals == 0) {
          return "tag \(t) is \(r.tags.contains(t)), but \(s)"
        }
      }
      for other in 0..<apps where own(r, other) != cells[other].value {
        return "at \(app), own\(other) is \(own(r, other)), not \(cells[other].value)"
      }
    }
    for m in made {
      let d = open[m.app].delivery(of: m.receipt, to: .server)
      switch d {
      case .pending, .unknown, .refused:
        if !m.receipt.operations.isEmpty { return "\(m.commit) is \(d)" }
      default: break
      }
    }
    return nil
  }

  static func run(seed: UInt64, mode: Int, steps: Int, skip: Set<Int> = []) async throws -> String?
  {
    let run = try await QueueProgram(seed: seed, mode: mode)
    run.skip = skip
    let blank = try await run.open[0].write {
      try $0.update(WrittenRecord.self, "r") { $0.extra = "start" }
    }
    run.blanks = [blank]
    var wrong: String?
    do {
      for _ in 0..<steps {
        wrong = try await run.step()
        if wrong == nil { wrong = run.failure }
        if wrong == nil { wrong = try run.check() }
        if wrong != nil { break }
      }
      if wrong == nil { wrong = try await run.ending() }
    } catch { wrong = "threw \(error)" }
    guard let wrong else { return nil }
    return "mode \(mode) seed \(seed): \(wrong)\n" + run.log.joined(separator: "\n")
  }
}

/// Random programs of writes, drafts, undos, dead letters that are retried or reverted,
/// outages, lost answers, kills and a server's own edits, for one or two apps.
///
/// The judge is a model of who wrote what: each app's own field, counts, set elements. Each
/// record stays readable, and both sides end alike.
@Suite("Queues, undos and dead letters at random")
struct QueueProgramTests {
  @Test(
    "Records stay readable and hold what was written and not undone",
    arguments: [0, 2, 4, 6, 8, 10, 12, 14])
  func programs(_ mode: Int) async throws {
    for seed in 1...(isLongRun ? 2_000 : 8) as ClosedRange<UInt64> {
      guard var wrong = try await QueueProgram.run(seed: seed, mode: mode, steps: 40) else {
        continue
      }
      var skipped: Set<Int> = []
      for step in (1...40).reversed() {
        let fewer = skipped.union([step])
        if let other = try await QueueProgram.run(
          seed: seed, mode: mode, steps: 40, skip: fewer)
        {
          (wrong, skipped) = (other, fewer)
        }
      }
      Issue.record("\(wrong)")
      return
    }
  }
}
