import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

@Suite("Envelopes of whole messages")
struct EnvelopeTests {
  let phone = ReplicaID(1)

  func register() -> LWWRegister<[String?]> {
    LWWRegister(
      ["a", nil, "é"], at: HybridTimestamp(milliseconds: 1_714_564_800_000, replica: phone))
  }

  func counter() throws -> PNCounter {
    var counter = PNCounter()
    for replica in 1...3 as ClosedRange<UInt64> {
      try counter.increment(replica * 1_000, by: ReplicaID(replica))
      try counter.decrement(replica, by: ReplicaID(replica))
    }
    return counter
  }

  @Test("the bytes are these, for ever")
  func vector() throws {
    var counter = GCounter()
    try counter.increment(300, by: phone)
    let form: [UInt8] = [
      0xC4, 0xD7, 2, 33, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0xAC, 2, 0xFD, 0x39, 0x76, 0xBF,
    ]
    #expect(counter.encoded() == form)
    let version1: [UInt8] = [
      0xC4, 0xD7, 1, 33, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0xAC, 2, 0x52, 0x71, 0x00, 0xEE,
    ]
    #expect(try GCounter(decoding: version1) == counter)
    #expect(try GCounter(decoding: form) == counter)
  }

  @Test("every truncation and every flipped bit is refused")
  func damage() throws {
    try checkDamage(register())
    try checkDamage(register().version)
    try checkDamage(register().delta(since: LWWRegister([], at: register().timestamp).version))
    try checkDamage(counter())
    try checkDamage(GCounter())
  }

  private func checkDamage<State: BinaryCodable>(_ state: State) throws {
    let form = state.encoded()
    for length in form.indices {
      #expect(throws: DecodingFailure.self) { try State(decoding: Array(form.prefix(length))) }
    }
    for place in form.indices {
      for bit in 0..<8 {
        var damaged = form
        damaged[place] ^= 1 << UInt8(bit)
        #expect(throws: DecodingFailure.self) { try State(decoding: damaged) }
        reseal(&damaged)
        if let other = try? State(decoding: damaged) {
          #expect(other.encoded() == damaged, "bit \(bit) of byte \(place)")
        }
      }
    }
  }

  /// Replaces the checksum by the one that fits, so that what is behind it is
  /// tested too.
  private func reseal(_ form: inout [UInt8]) {
    form.removeLast(4)
    let checksum = form.withUnsafeBytes { CRC32C.checksum($0) }
    form += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
  }

  @Test("random changes behind a fitting checksum give canonical values or errors")
  func mutations() throws {
    let seed: UInt64 = 21
    var random = SeededGenerator(seed: seed)
    let one = register().encoded()
    let other = try counter().encoded()
    for _ in 0..<5_000 {
      var first = one
      var second = other
      mutate(&first, using: &random)
      mutate(&second, using: &random)
      if let read = try? LWWRegister<[String?]>(decoding: first) {
        #expect(read.encoded() == first, "seed \(seed)")
      }
      if let read = try? PNCounter(decoding: second) {
        #expect(read.encoded() == second, "seed \(seed)")
      }
    }
  }

  private func mutate(_ form: inout [UInt8], using random: inout SeededGenerator) {
    for _ in 0...Int(random.next() % 3) {
      let place = Int.random(in: 4..<form.count - 4, using: &random)
      switch random.next() % 4 {
      case 0: form[place] = UInt8(truncatingIfNeeded: random.next())
      case 1: form.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
      case 2: form[place] = [0, 1, 0x7F, 0x80, 0xFF][Int(random.next() % 5)]
      default: if form.count > 12 { form.remove(at: place) }
      }
    }
    reseal(&form)
  }

  @Test("each thing that is wrong is said, with its place")
  func reasons() throws {
    let form = try counter().encoded()
    func failure(_ bytes: [UInt8]) -> DecodingFailure? {
      #expect(throws: DecodingFailure.self) { try PNCounter(decoding: bytes) }
    }
    #expect(failure([]) == DecodingFailure(.truncated, at: 0))
    #expect(failure([1, 2, 3]) == DecodingFailure(.unknownFormat, at: 0))
    var newer = form
    newer[2] = 3
    #expect(failure(newer) == DecodingFailure(.unsupportedVersion(3), at: 2))
    var damaged = form
    damaged[form.count - 1] ^= 1
    #expect(failure(damaged) == DecodingFailure(.damaged, at: form.count - 4))
    var longer = form
    longer.insert(0, at: form.count - 4)
    reseal(&longer)
    #expect(failure(longer) == DecodingFailure(.trailingBytes, at: form.count - 4))
    let mismatch = DecodingFailure.Reason.typeMismatch(found: [34], expected: [33])
    #expect(throws: DecodingFailure(mismatch, at: 3)) { try GCounter(decoding: form) }
    #expect("\(mismatch)" == "the bytes hold PNCounter (code 34), not GCounter (code 33)")
    let names: [(code: [UInt8], text: String)] = [
      (MergeMap<String, ORSet<[Int?]>>.typeCode, "MergeMap<String, ORSet<Array<Optional<Int>>>>"),
      (TableDelta<Document>.typeCode, "Delta<Document>"), ([35], "ORSet<…>"), ([], "…"),
      ([64], "a type of the app"), ([40, 127, 12, 35, 12], "MergeMap<a type of the app, …>"),
      ([12, 5], "String…"), ([29], "an unknown type"),
    ]
    for (code, text) in names {
      let bytes = code.map(String.init).joined(separator: " ")
      let reason = DecodingFailure.Reason.typeMismatch(found: code, expected: [1])
      #expect("\(reason)" == "the bytes hold \(text) (code \(bytes)), not Int (code 1)")
    }
    let long = DecodingFailure.Reason.typeMismatch(
      found: Array(repeating: 13, count: 5_000), expected: [])
    #expect("\(long)".utf8.count < 250)

    var copy = PNCounter()
    #expect(throws: DeltaError.malformed(DecodingFailure(.damaged, at: form.count - 4))) {
      try copy.merge(decoding: damaged)
    }
    #expect(throws: DeltaError.self) { try copy.apply(decoding: damaged) }
    #expect(copy == PNCounter())
  }
}
