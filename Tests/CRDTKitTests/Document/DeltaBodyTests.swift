import CRDTKit
import CRDTTestSupport
import Testing

/// Bodies of deltas, written one after another with a memory that goes on.
@Suite("Bodies of deltas")
struct DeltaBodyTests {
  private func bodies(
    of deltas: [TableDelta<Document>], remembering memory: inout CodingMemory?
  ) -> [[UInt8]] {
    deltas.map { delta in
      var writer = ByteWriter()
      writer.write(0xAB as UInt8)
      delta.encodeBody(to: &writer, remembering: &memory)
      writer.write(0xCD as UInt8)
      return writer.finish()
    }
  }

  private func deltas(seed: UInt64) -> [TableDelta<Document>] {
    let sites = DocumentHistory.random(
      count: 3, stepCount: 40, seed: seed, isForgetful: seed % 3 == 0)
    return sites[0].deltas
  }

  @Test("are read in their order as they were written, and share what was told") func order() throws
  {
    var shared = 0
    var alone = 0
    for seed in 0..<40 as Range<UInt64> {
      let deltas = deltas(seed: seed)
      var written: CodingMemory?
      var read: CodingMemory?
      for (number, bytes) in bodies(of: deltas, remembering: &written).enumerated() {
        var reader = ByteReader(bytes)
        #expect(try reader.readByte() == 0xAB)
        let delta = try TableDelta<Document>(bodyFrom: &reader, remembering: &read)
        #expect(try reader.readByte() == 0xCD && reader.remaining == 0)
        #expect(delta.encoded() == deltas[number].encoded(), "seed \(seed), delta \(number)")
        shared += bytes.count - 2
        alone += deltas[number].encoded().count - 9
      }
    }
    #expect(shared < alone * 19 / 20, "\(shared) bytes of \(alone)")
  }

  @Test("go on with the memory of a reader as with the writer's") func goingOn() throws {
    for seed in 0..<30 as Range<UInt64> {
      let deltas = deltas(seed: seed)
      var written: CodingMemory?
      let all = bodies(of: deltas, remembering: &written)
      var read: CodingMemory?
      for (number, bytes) in all.enumerated() {
        var reader = ByteReader(bytes, in: 1..<bytes.count)
        _ = try TableDelta<Document>(bodyFrom: &reader, remembering: &read)
        // The copy is left as it is by those that write with it.
        var copy = read
        let rest = bodies(of: Array(deltas[(number + 1)...]), remembering: &copy)
        #expect(rest == Array(all[(number + 1)...]), "seed \(seed), after \(number)")
      }
    }
  }

  @Test("begin anew without a memory, each by itself") func beginningAnew() throws {
    for delta in deltas(seed: 7) {
      var none: CodingMemory?
      let bytes = bodies(of: [delta], remembering: &none)[0]
      let whole = delta.encoded()
      // The header takes three bytes and the type's code two, the checksum four.
      #expect(Array(bytes[1..<bytes.count - 1]) == Array(whole[5..<whole.count - 4]))
      var memory: CodingMemory?
      var reader = ByteReader(bytes, in: 1..<bytes.count - 1)
      let read = try TableDelta<Document>(bodyFrom: &reader, remembering: &memory)
      #expect(read.encoded() == whole && reader.remaining == 0)
    }
  }

  @Test("that are cut anywhere are refused, and leave no memory") func cut() {
    let deltas = deltas(seed: 4)
    var written: CodingMemory?
    let all = bodies(of: deltas, remembering: &written)
    for (number, bytes) in all.enumerated().prefix(8) {
      for end in 1..<bytes.count - 1 {
        var read: CodingMemory?
        for earlier in all[..<number] {
          var reader = ByteReader(earlier, in: 1..<earlier.count)
          _ = try? TableDelta<Document>(bodyFrom: &reader, remembering: &read)
        }
        var reader = ByteReader(bytes, in: 1..<end)
        #expect(throws: DecodingFailure.self) {
          try TableDelta<Document>(bodyFrom: &reader, remembering: &read)
        }
        #expect(read == nil)
      }
    }
  }

  @Test("of values without names to remember") func otherValues() throws {
    var set = ORSet<Int>()
    let first = set.edit(by: ReplicaID(1)) { $0.insert(5) }
    let second = set.edit(by: ReplicaID(1)) { $0.remove(5) }
    var memory: CodingMemory?
    var writer = ByteWriter()
    first.encodeBody(to: &writer, remembering: &memory)
    second.encodeBody(to: &writer, remembering: &memory)
    #expect(memory == nil)
    var reader = ByteReader(writer.finish())
    var copy = ORSet<Int>()
    for isThere in [true, false] {
      let delta = try TableDelta<ORSet<Int>>(bodyFrom: &reader, remembering: &memory)
      try copy.apply(delta)
      #expect(copy.contains(5) == isThere)
    }
    #expect(copy == set && reader.remaining == 0)
  }
}
