import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Canonical forms")
struct CodingTests {
  @Test("numbers of every width read back, alone and in columns")
  func integers() throws {
    try checkIntegers(Int8.self)
    try checkIntegers(Int16.self)
    try checkIntegers(Int32.self)
    try checkIntegers(Int64.self)
    try checkIntegers(Int.self)
    try checkIntegers(UInt8.self)
    try checkIntegers(UInt16.self)
    try checkIntegers(UInt32.self)
    try checkIntegers(UInt64.self)
    try checkIntegers(UInt.self)
    try checkIntegers(Int128.self)
    try checkIntegers(UInt128.self)
    #expect(bytes(of: -1) == [1] && bytes(of: 64) == [128, 1] && bytes(of: UInt8(200)) == [200])
    #expect(bytes(of: 1_000_001, after: 1_000_000) == [2])
  }

  private func checkIntegers<Number>(_: Number.Type) throws
  where Number: FixedWidthInteger & CanonicalCodable {
    let seed: UInt64 = 11
    var random = SeededGenerator(seed: seed)
    var numbers: [Number] = [0, 1, .min, .max, .min + 1, .max - 1]
    for _ in 0..<200 {
      numbers.append(Number.random(in: .min ... .max, using: &random) >> Number(random.next() % 8))
    }
    var previous: Number?
    for number in numbers {
      #expect(try decode(Number.self, from: bytes(of: number)) == number, "seed \(seed)")
      let form = bytes(of: number, after: previous)
      #expect(try decode(Number.self, from: form, after: previous) == number, "seed \(seed)")
      #expect(try decode([Number].self, from: bytes(of: [number, number])) == [number, number])
      for length in form.indices {
        #expect(throws: DecodingFailure.self) {
          try decode(Number.self, from: Array(form.prefix(length)), after: previous)
        }
      }
      previous = number
    }
  }

  @Test("a number that doesn't fit its type is refused")
  func bounds() {
    #expect(throws: DecodingFailure(.outOfBounds("a number of 8 bits"), at: 0)) {
      try decode(Int8.self, from: bytes(of: 128))
    }
    #expect(throws: DecodingFailure(.outOfBounds("a number of 32 bits"), at: 0)) {
      try decode(UInt32.self, from: bytes(of: -1))
    }
    #expect(throws: DecodingFailure.self) {
      try decode(Int8.self, from: bytes(of: 100), after: 100)
    }
  }

  @Test("LEB128 numbers are minimal and of 64 bits at most")
  func varints() throws {
    func read(_ bytes: [UInt8]) throws(DecodingFailure) -> UInt64 {
      var reader = ByteReader(bytes)
      return try reader.readVarint()
    }
    let most = [UInt8](repeating: 0xFF, count: 9)
    #expect(try read(most + [1]) == .max)
    #expect(throws: DecodingFailure(.outOfBounds("a number"), at: 0)) { try read(most + [2]) }
    #expect(throws: DecodingFailure(.outOfBounds("a number"), at: 0)) {
      try read(most + [0x81, 0])
    }
    #expect(throws: DecodingFailure(.truncated, at: 0)) { try read(most) }
    for longer: [UInt8] in [[0x80, 0], [0xFF, 0x80, 0], [0x81, 0x80, 0x80, 0]] {
      #expect(throws: DecodingFailure(.notCanonical("a number"), at: 0)) { try read(longer) }
    }
    for shift in 0..<64 as Range<UInt64> {
      for value: UInt64 in [1 << shift, (1 << shift) - 1, ~0 << shift] {
        var writer = ByteWriter()
        writer.write(varint: value)
        writer.write(signedVarint: Int64(bitPattern: value))
        var reader = ByteReader(writer.finish())
        #expect(try reader.readVarint() == value)
        #expect(try reader.readSignedVarint() == Int64(bitPattern: value))
        #expect(reader.remaining == 0)
      }
    }
  }

  @Test("floating-point numbers keep their bits: NaN, −0.0 and all")
  func floatingPoint() throws {
    for value in [0, -0.0, .nan, -.nan, Double(nan: 9, signaling: true), .infinity, 1.5] {
      #expect(try decode(Double.self, from: bytes(of: value)).bitPattern == value.bitPattern)
    }
    for value: Float in [0, -0.0, .nan, -.nan, -.infinity, .leastNonzeroMagnitude] {
      #expect(try decode(Float.self, from: bytes(of: value)).bitPattern == value.bitPattern)
    }
    #expect(bytes(of: -0.0) != bytes(of: 0.0))
    #expect((-0.0)._fingerprint != (0.0)._fingerprint)
  }

  @Test("truth values and optionals are 0 or 1, and nothing else")
  func truth() throws {
    for value in [true, false] { #expect(try decode(Bool.self, from: bytes(of: value)) == value) }
    for value: Int?? in [nil, .some(nil), 5] {
      #expect(try decode(Int??.self, from: bytes(of: value)) == value)
    }
    for byte in 2...255 as ClosedRange<UInt8> {
      #expect(throws: DecodingFailure(.notCanonical("a truth value"), at: 0)) {
        try decode(Bool.self, from: [byte])
      }
      #expect(throws: DecodingFailure.self) { try decode(Int?.self, from: [byte, 0]) }
    }
  }

  @Test("sets and dictionaries have one form, in order, without repeats")
  func collections() throws {
    let seed: UInt64 = 3
    var random = SeededGenerator(seed: seed)
    let numbers = (0..<100).map { _ in Int(random.next() % 1_000) }
    let set = Set(numbers)
    var other = Set<Int>(minimumCapacity: 5_000)
    for number in numbers.shuffled(using: &random) { other.insert(number) }
    #expect(bytes(of: set) == bytes(of: other), "seed \(seed)")
    #expect(try decode(Set<Int>.self, from: bytes(of: set)) == set)
    let table = [2: ["b"], -1: [], 1: ["a", "ab"]]
    #expect(bytes(of: table) == [3, 1, 0, 2, 2, 1, 97, 0x11, 98, 4, 1, 1, 98])
    #expect(try decode([Int: [String]].self, from: bytes(of: table)) == table)

    for form: [UInt8] in [[2, 4, 2], [2, 2, 2], [3, 2, 4], [2, 2]] {
      #expect(throws: DecodingFailure.self) { try decode(Set<Int>.self, from: form) }
    }
    for form: [UInt8] in [[2, 4, 0, 2, 0], [2, 2, 0, 2, 0], [1, 2]] {
      #expect(throws: DecodingFailure.self) { try decode([Int: Int].self, from: form) }
    }
    // Two spellings of one text are one element: "é" can't be there twice.
    let composed = bytes(of: "é")
    let decomposed = bytes(of: "e\u{301}")
    #expect(throws: DecodingFailure(.notCanonical("an element of a set"), at: 4)) {
      try decode(Set<String>.self, from: [2] + composed + decomposed)
    }
    #expect(throws: DecodingFailure.self) {
      try decode([String: Int].self, from: [2] + composed + [0] + decomposed + [0])
    }
  }

  @Test("a declared length is counted against what is there before room is made")
  func lengthBombs() {
    let lengths: [UInt64] = [3, 1 << 31, 1 << 32, 1 << 48, 1 << 62, 1 << 63, .max]
    for length in lengths {
      var writer = ByteWriter()
      writer.write(varint: length)
      let bomb = writer.finish()
      #expect(throws: DecodingFailure.self) { try decode([Int].self, from: bomb) }
      #expect(throws: DecodingFailure.self) { try decode(Set<Int>.self, from: bomb) }
      #expect(throws: DecodingFailure.self) { try decode([Int: Int].self, from: bomb) }
      #expect(throws: DecodingFailure.self) { try decode(VersionVector.self, from: bomb) }
      #expect(throws: DecodingFailure.self) { try decode(GCounter.self, from: bomb) }
      #expect(throws: DecodingFailure.self) { try decode(String.self, from: [15] + bomb) }
      #expect(throws: DecodingFailure.self) { try decode(String.self, from: [0xF0] + bomb) }
      #expect(throws: DecodingFailure.self) {
        try decode(String.self, from: [0xFF] + bomb + bomb, after: "before")
      }
    }
  }

  @Test("a recursive type is bounded in depth")
  func nesting() throws {
    var list = Nested(inner: [])
    for _ in 0..<63 { list = Nested(inner: [list]) }
    #expect(try decode(Nested.self, from: bytes(of: list)).inner.count == 1)
    let bomb = [UInt8](repeating: 1, count: 1_000_000)
    #expect(throws: DecodingFailure(.nestedTooDeep, at: 64)) {
      try decode(Nested.self, from: bomb + [0])
    }
  }

  struct Nested: CanonicalCodable {
    var inner: [Nested]

    init(inner: [Nested]) { self.inner = inner }

    func encode(to writer: inout ByteWriter) { inner.encode(to: &writer) }

    init(from reader: inout ByteReader) throws(DecodingFailure) {
      inner = try [Nested](from: &reader)
    }
  }
}
