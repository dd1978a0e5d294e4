import CRDTStoreTesting
import CRDTTestSupport

@testable import CRDTSimulator
@testable import crdt_demo

/// A small world of grow-only sets that gossip, made up to have something of all that
/// a trace can tell.
struct SampleRun {
  /// What is still to happen.
  private enum Task {
    case edit(Int)
    case gossip(Int)
    case arrive(message: Int, from: Int, to: Int, words: Set<Int>, bytes: Int)
    case event(TraceEvent.Kind, Int?)
  }

  private static let words = [
    "tea", "milk", "bread", "salt", "rice", "plums", "oats", "honey", "figs", "leeks", "soap",
    "lemons",
  ]

  private(set) var events: [TraceEvent] = []
  private var generator: SeededGenerator
  private var tasks: [UInt64: [Task]] = [:]
  private var times: [UInt64] = []
  private var states: [Set<Int>]
  private var isUp: [Bool]
  private var isParted = false
  private var messages = 0
  private var edits = 0
  private let fan: Int
  private let countMax: Int

  /// So many replicas, until about so many events.
  init(replicas: Int, events count: Int, seed: UInt64, interval: UInt64 = 2_200_000) {
    generator = SeededGenerator(seed: seed)
    states = Array(repeating: [], count: replicas)
    isUp = Array(repeating: true, count: replicas)
    fan = replicas
    countMax = count
    record(
      TraceEvent(
        time: 0, kind: .begin,
        value: "\(replicas) replicas of a set, gossiping, seed \(seed)",
        detail: "crdt-demo simulate --world --replicas \(replicas) --seed \(seed)"))
    for replica in 0..<replicas {
      plan(.gossip(replica), at: UInt64.random(in: 100_000..<interval, using: &generator))
      plan(.edit(replica), at: UInt64.random(in: 50_000..<1_500_000, using: &generator))
    }
    planFaults(replicas)
    run(interval)
  }

  private mutating func planFaults(_ replicas: Int) {
    let second: UInt64 = 1_000_000
    let faults: [(UInt64, TraceEvent.Kind, Int?)] = [
      (6, .crash, 1), (10, .restart, 1), (12, .partition, nil), (21, .heal, nil),
      (14, .pause, 4), (17, .resume, 4), (24, .clock, 2), (25, .crash, 3), (26, .restart, 3),
      (8, .join, replicas - 1), (27, .leave, 0),
    ]
    if replicas > 4 { isUp[replicas - 1] = false }
    for (time, kind, replica) in faults { plan(.event(kind, replica), at: time * second) }
  }

  private mutating func plan(_ task: Task, at time: UInt64) {
    if tasks[time] == nil {
      var low = 0
      var high = times.count
      // Latest first, so that the next is taken off the end.
      while low < high {
        let middle = (low + high) / 2
        if times[middle] > time { low = middle + 1 } else { high = middle }
      }
      times.insert(time, at: low)
    }
    tasks[time, default: []].append(task)
  }

  private mutating func record(_ event: TraceEvent) { events.append(event) }

  private mutating func run(_ interval: UInt64) {
    var now: UInt64 = 0
    while events.count < countMax, let time = times.popLast() {
      now = time
      for task in tasks.removeValue(forKey: time) ?? [] { perform(task, at: time, interval) }
    }
    for replica in states.indices {
      record(
        TraceEvent(
          time: now, kind: .check, replica: replica, digest: digest(replica), value: value(replica))
      )
    }
    record(TraceEvent(time: now, kind: .end, detail: "stopped after \(events.count) events"))
  }

  private mutating func perform(_ task: Task, at time: UInt64, _ interval: UInt64) {
    switch task {
    case .edit(let replica):
      if time < 26_000_000 || fan > 60 {
        plan(.edit(replica), at: time + UInt64.random(in: 500_000..<5_000_000, using: &generator))
      }
      guard isUp[replica] else { return }
      edits += 1
      states[replica].insert(edits % (fan > 60 ? 400 : Self.words.count))
      record(
        TraceEvent(
          time: time, kind: .edit, replica: replica, events: 1, digest: digest(replica),
          value: value(replica)))
    case .gossip(let replica):
      plan(
        .gossip(replica), at: time + UInt64.random(in: interval / 2..<interval, using: &generator))
      if isUp[replica] { gossip(from: replica, at: time) }
    case .arrive(let message, let source, let target, let words, let bytes):
      arrive(message, source, target, words, bytes, at: time)
    case .event(let kind, let replica):
      take(kind, replica, at: time)
    }
  }

  private mutating func take(_ kind: TraceEvent.Kind, _ replica: Int?, at time: UInt64) {
    switch kind {
    case .crash, .pause, .leave: replica.map { isUp[$0] = false }
    case .restart, .resume, .join: replica.map { isUp[$0] = true }
    case .partition: isParted = true
    case .heal: isParted = false
    default: break
    }
    let detail = kind == .partition ? "the first half from the second" : nil
    record(TraceEvent(time: time, kind: kind, replica: replica, detail: detail))
  }

  private mutating func gossip(from source: Int, at time: UInt64) {
    let other = Int.random(in: 0..<(fan - 1), using: &generator)
    let target = other >= source ? other + 1 : other
    messages += 1
    let bytes = 24 + 6 * states[source].count
    record(
      TraceEvent(
        time: time, kind: .send, replica: source, peer: target, message: messages, bytes: bytes,
        events: states[source].count))
    let isApart = isParted && (source < fan / 2) != (target < fan / 2)
    if isApart || Int.random(in: 0..<100, using: &generator) < 5 {
      record(
        TraceEvent(
          time: time, kind: .lose, replica: source, peer: target, message: messages,
          detail: isApart ? "the network is parted" : nil))
      return
    }
    var delays = [UInt64.random(in: 150_000..<900_000, using: &generator)]
    for kind in [TraceEvent.Kind.duplicate, .corrupt]
    where Int.random(in: 0..<100, using: &generator) < 3 {
      record(
        TraceEvent(time: time, kind: kind, replica: source, peer: target, message: messages))
      if kind == .duplicate { delays.append(delays[0] + 400_000) }
    }
    for delay in delays {
      plan(
        .arrive(
          message: messages, from: source, to: target, words: states[source], bytes: bytes),
        at: time + delay)
    }
  }

  private mutating func arrive(
    _ message: Int, _ source: Int, _ target: Int, _ words: Set<Int>, _ bytes: Int,
    at time: UInt64
  ) {
    guard isUp[target] else {
      record(
        TraceEvent(
          time: time, kind: .lose, replica: source, peer: target, message: message,
          detail: "the receiver is down"))
      return
    }
    record(
      TraceEvent(
        time: time, kind: .receive, replica: target, peer: source, message: message, bytes: bytes))
    let new = words.subtracting(states[target]).count
    guard new > 0 else { return }
    states[target].formUnion(words)
    record(
      TraceEvent(
        time: time, kind: .learn, replica: target, events: new, digest: digest(target),
        value: value(target)))
  }

  private func digest(_ replica: Int) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for word in states[replica].sorted() { hash = (hash ^ UInt64(word)) &* 0x100_0000_01B3 }
    return String(String(hash, radix: 16).suffix(8))
  }

  private func value(_ replica: Int) -> String {
    guard fan <= 60 else { return "\(states[replica].count) elements" }
    return "{" + states[replica].sorted().map { Self.words[$0] }.joined(separator: ", ") + "}"
  }
}
