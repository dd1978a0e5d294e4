import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Two places write under one replica id, at every distance and with every past, and meet
/// in every way: wherever their marks can tell, the fork is told, and otherwise it is one of
/// those that the documentation names.
@Suite("Forks, ways by distances")
struct ForkMatrixTests {
  /// How a copy came to what it holds.
  enum Past: CaseIterable { case live, decoded, filled }

  /// How two copies meet.
  enum Way: CaseIterable {
    case merge, checking, decoding, apply, applyDecoding, oneBetween, twoBetween
  }

  static let replica = ReplicaID(7)
  static let distances: [UInt64] = [0, 1, 2, 10, 65, 127, 128, 129, 1_000, 5_000]

  /// Whether copies that have made W events and W + D since they parted after `shared`
  /// have a mark in common that tells: the rule of the documentation, counted out.
  static func isPromised(shared: UInt64, short: UInt64, long: UInt64) -> Bool {
    if short == long { return true }
    var step: UInt64 = 1
    while step <= long {
      var multiple = (long - 1) / step * step
      for _ in 0..<128 where multiple > shared {
        if multiple <= short { return true }
        multiple -= step
      }
      step *= 2
    }
    return false
  }

  /// Lets two copies meet; says whether the fork was told.
  static func isTold<Value: TableBacked & Equatable>(
    _ here: Value, _ there: Value, _ way: Way
  ) throws -> Bool {
    var here = here
    do throws(DeltaError) {
      switch way {
      case .merge: here.merge(there)
      case .checking: try here.merge(checking: there)
      case .decoding: try here.merge(decoding: there.encoded())
      case .apply: try here.apply(there.delta(since: here.version))
      case .applyDecoding: try here.apply(decoding: there.delta(since: here.version).encoded())
      case .oneBetween, .twoBetween:
        var between = Value(_table: DotTable())
        try between.apply(decoding: there.delta(since: between.version).encoded())
        if way == .twoBetween {
          var other = Value(_table: DotTable())
          try other.merge(decoding: between.encoded())
          between = other
        }
        try here.apply(decoding: between.delta(since: here.version).encoded())
      }
    } catch {
      guard case .fork(Self.replica) = error else { throw error }
      return true
    }
    return !here.forks.isEmpty
  }

  static func copy<Value: TableBacked>(_ value: Value, _ past: Past) throws -> Value {
    switch past {
    case .live: return value
    case .decoded: return try Value(decoding: value.encoded())
    case .filled:
      var filled = Value(_table: DotTable())
      try filled.apply(decoding: value.delta(since: [:]).encoded())
      return filled
    }
  }

  /// Tries all pasts and ways; gives how many forks were told and how many were not.
  static func examine<Value: TableBacked & Equatable>(
    _ name: String, shared: Int, parted: Int, distance: UInt64,
    _ write: (_ value: inout Value, _ number: Int, _ side: Int) throws -> Void
  ) throws -> (told: Int, silent: Int) {
    var common = Value(_table: DotTable())
    for number in 0..<shared { try write(&common, number, 0) }
    var (short, long) = (common, common)
    for number in 0..<parted { try write(&short, number, 1) }
    for number in 0..<parted + Int(distance) { try write(&long, number, 2) }
    let isPromised = isPromised(
      shared: UInt64(shared), short: UInt64(shared + parted),
      long: UInt64(shared + parted) + distance)
    var (told, silent) = (0, 0)
    // Of long histories each past on both sides; of short ones each with each.
    let isLong = parted + Int(distance) > 1_000
    for past in Past.allCases {
      for other in Past.allCases where !isLong || other == past {
        for way in Way.allCases {
          for isSwapped in [false, true] {
            let (left, right) = (try copy(short, past), try copy(long, other))
            let isTold =
              isSwapped ? try isTold(right, left, way) : try isTold(left, right, way)
            if isTold { told += 1 } else { silent += 1 }
            if isPromised, !isTold {
              Issue.record(
                """
                \(name): \(shared) shared, \(parted) and \(parted + Int(distance)) since, \
                \(past) and \(other), \(way)\(isSwapped ? ", swapped" : "")
                """)
            }
          }
        }
      }
    }
    return (told, silent)
  }

  @Test(
    "each way, distance and past: told where the marks can tell",
    arguments: playsAll ? [10, 500] : [10])
  func matrix(shared: Int) throws {
    for parted in [1, 10, 1_000] {
      for distance in Self.distances where distance < 1_000 || shared == 10 {
        let isPromised = Self.isPromised(
          shared: UInt64(shared), short: UInt64(shared + parted),
          long: UInt64(shared + parted) + distance)
        var counts = [
          try Self.examine("set", shared: shared, parted: parted, distance: distance) {
            (set: inout ORSet<Int>, number, side) in
            set.insert(number + 100_000 * side, by: Self.replica)
          }
        ]
        if distance < 128, parted < 1_000 {
          counts.append(
            try Self.examine("map", shared: shared, parted: parted, distance: distance) {
              (map: inout MergeMap<Int, PNCounter>, number, side) in
              _ = try map.update(number % 7, by: Self.replica) {
                try $0.increment(UInt64(side + 1))
              }
            })
          counts.append(
            try Self.examine("document", shared: shared, parted: parted, distance: distance) {
              (document: inout Document, number, side) in
              let stamp = HybridTimestamp(
                milliseconds: 1_700_000_000_000 + UInt64(number), replica: Self.replica)
              document.edit(at: stamp) {
                $0.set("title", of: "r\(number % 5)", in: "c", to: .int(Int64(number + side)))
              }
            })
        }
        let silent = counts.reduce(0) { $0 + $1.silent }
        let told = counts.reduce(0) { $0 + $1.told }
        #expect(!isPromised || silent == 0)
        // What is not promised shows where the log of events is at hand, or by chance.
        print("parted \(parted) ago, \(distance) apart: \(told) told, \(silent) not")
      }
    }
  }

  @Test("the bound: one event since they parted is told up to 128 events of the other")
  func edge() throws {
    func isTold(_ long: Int) throws -> Bool {
      var common: ORSet<Int> = ORSet()
      for element in 0..<256 { common.insert(element, by: Self.replica) }
      var (short, other) = (common, common)
      short.insert(-1, by: Self.replica)
      for element in 0..<long { other.insert(1_000 + element, by: Self.replica) }
      return try Self.isTold(
        Self.copy(short, .decoded), Self.copy(other, .decoded), .merge)
    }
    for long in [1, 2, 127, 128, 129] { #expect(try isTold(long), "\(long)") }
    // Of 130 events the second is the first that is marked: 258 is even, 257 is not.
    #expect(try !isTold(130))
  }

  @Test("kills by one event after another, of dots whose words add up alike")
  func injective() throws {
    let (first, second) = (ReplicaID(1), ReplicaID(2))
    var base: ORSet<Int> = ORSet()
    for element in 1...6 { base.insert(element, by: first) }
    for element in 11...16 { base.insert(element, by: second) }
    // (1, 5) and (2, 6) have one exclusive or.
    for (one, other) in [(5, 16), (2, 11), (4, 15)] {
      var (left, right) = (base, base)
      left.remove(one, by: ReplicaID(3))
      right.remove(other, by: ReplicaID(3))
      #expect(left.merging(right).forks == [ReplicaID(3)])
      #expect(throws: DeltaError.fork(ReplicaID(3))) {
        try left.merge(checking: ORSet(decoding: right.encoded()))
      }
    }
  }

  @Test("the kinds of values and rows have fingerprints of their own")
  func kinds() {
    let values: [Document.Value] = [
      .null, .bool(false), .bool(true), .int(0), .int(1), .int(2), .double(0), .double(1),
      .string(""), .string("\u{0}"), .bytes([]), .bytes([0]), .timestamp(0), .array([]),
      .array([.null]), .object([:]), .object(["": .null]),
    ]
    var seen: [UInt64: Document.Value] = [:]
    for value in values {
      #expect(seen.updateValue(value, forKey: value._fingerprint) == nil, "\(value)")
    }
  }

  @Test("stretches tell lines apart at any distance, through bytes and deltas")
  func stretches() throws {
    for (short, long, bothBegin) in [
      (1, 5_000, false), (1, 1, false), (3, 700, false), (1, 5_000, true), (3, 700, true),
    ] {
      var common: ORSet<Int> = ORSet()
      common.beginStretch(of: Self.replica, nonce: 76)
      for element in 0..<50 { common.insert(element, by: Self.replica) }
      // The restored place begins a stretch, and the one that goes on may begin its own.
      var restored = try ORSet<Int>(decoding: common.encoded())
      restored.beginStretch(of: Self.replica, nonce: 77)
      if bothBegin { common.beginStretch(of: Self.replica, nonce: 78) }
      for element in 0..<short { restored.insert(1_000 + element, by: Self.replica) }
      for element in 0..<long { common.insert(100_000 + element, by: Self.replica) }
      for way in Way.allCases {
        for past in [Past.decoded, .filled] {
          let (left, right) = (try Self.copy(restored, past), try Self.copy(common, past))
          #expect(try Self.isTold(left, right, way), "\(short), \(long), \(way), \(past)")
          #expect(try Self.isTold(right, left, way), "\(long), \(short), \(way), \(past)")
        }
      }
      let again = try ORSet<Int>(decoding: restored.encoded())
      #expect(again.encoded() == restored.encoded() && again == restored)
      var peer = try ORSet<Int>(decoding: restored.encoded())
      restored.insert(7, by: Self.replica)
      #expect(try peer.apply(restored.delta(since: peer.version)))
      #expect(peer.encoded() == restored.encoded())
    }
  }

  @Test("marks follow from the version: by whatever ways two came to it, they have the same bytes")
  func canonical() throws {
    for seed in 0..<6 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var writer: ORSet<Int> = ORSet()
      var steps: ORSet<Int> = ORSet()
      var leaps: ORSet<Int> = ORSet()
      for number in 0..<1_500 {
        if number % 211 == 100 {
          writer.beginStretch(of: Self.replica, nonce: UInt32(truncatingIfNeeded: number))
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
          writer.remove(Int.random(in: 0..<50, using: &random), by: Self.replica)
        } else {
          writer.insert(Int.random(in: 0..<50, using: &random), by: Self.replica)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
          try steps.apply(decoding: writer.delta(since: steps.version).encoded())
        }
        if Int.random(in: 0..<400, using: &random) == 0 {
          try leaps.merge(decoding: writer.encoded())
        }
      }
      try steps.apply(writer.delta(since: steps.version))
      try leaps.apply(decoding: writer.delta(since: leaps.version).encoded())
      #expect(steps.encoded() == writer.encoded(), "seed \(seed)")
      #expect(leaps.encoded() == writer.encoded(), "seed \(seed)")
      #expect(try ORSet<Int>(decoding: writer.encoded()).encoded() == writer.encoded())
    }
  }
}
