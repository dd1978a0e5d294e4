import CRDTKit
import CRDTTestSupport
import Testing

/// Small inputs that declare great lengths.
///
/// They are decoded in processes of their own, which fail if they trap or map more
/// than 64 MB.
@Suite("Bombs")
struct BombTests {
  @Test("declared lengths at every place of every specimen") func lengths() async {
    await #expect(processExitsWith: .success) {
      let numbers: [[UInt8]] = [
        [0xFF, 0xFF, 0x7F], [0xFF, 0xFF, 0xFF, 0xFF, 0x07],
        [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F],
        [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
      ]
      var violations: [String] = []
      boundMemory {
        for specimen in Specimens.all {
          for place in 3..<specimen.bytes.count - 4 {
            for number in numbers {
              let bytes = sealed(
                Array(specimen.bytes[..<place]) + number + specimen.bytes[(place + 1)...])
              do throws(Discrepancy) {
                _ = try specimen.examine(bytes)
              } catch {
                violations.append("\(specimen.name) at \(place): \(error)")
              }
            }
          }
        }
      }
      precondition(violations.isEmpty, "\(violations.prefix(3))")
    }
  }

  @Test("rows, runs, replicas and removals that are declared and not there") func counts() async {
    await #expect(processExitsWith: .success) {
      let great: [UInt64] = [1 << 20, 1 << 31, 1 << 47, 1 << 48 - 1, 1 << 62, .max]
      boundMemory {
        for number in great {
          let states = [
            forged(ORSet<Int>.typeCode) { $0.write(varint: number) },
            forged(ORSet<Int>.typeCode) { writer in
              writer.write(varint: 1)
              writer.write(head: ReplicaID(1), seen: 1 << 48 - 1)
              writer.write(varint: number)
            },
            forged(ORSet<Int>.typeCode) { writer in
              writer.write(varint: 1)
              writer.write(head: ReplicaID(1), seen: 1 << 48 - 1)
              writer.write(varint: 1)
              writer.write(varint: 0)
              writer.write(varint: number)
              for _ in 0..<1_000 { writer.write(0 as UInt8) }
            },
          ]
          for bytes in states {
            precondition((try? ORSet<Int>(decoding: bytes)) == nil, "\(number)")
            var set = ORSet<Int>()
            precondition((try? set.merge(decoding: bytes)) == nil, "\(number)")
          }
          let deltas = [
            forged(ORSet<Int>.Delta.typeCode) { $0.write(varint: number) },
            forged(ORSet<Int>.Delta.typeCode) { writer in
              writer.write(varint: 1)
              writer.write(head: ReplicaID(1), base: 0, seen: 5)
              writer.write(runs: [])
              writer.write(0 as UInt8)
              writer.write(varint: number)
            },
          ]
          for bytes in deltas {
            precondition((try? ORSet<Int>.Delta(decoding: bytes)) == nil, "\(number)")
          }
        }
      }
    }
  }

  @Test("rows of no bytes, and rows one to a block: memory stays near the input's size")
  func scattered() async {
    await #expect(processExitsWith: .success) {
      let units = forged(ORSet<NoPayload>.typeCode) { writer in
        writer.write(varint: 1)
        writer.write(head: ReplicaID(1), seen: 1 << 40)
        writer.write(runs: [1...(1 << 40)])
      }
      let step: UInt64 = 1 << 20
      let sparse = forged(ORSet<Int>.typeCode) { writer in
        writer.write(varint: 1)
        writer.write(head: ReplicaID(1), seen: 1 << 40)
        writer.write(runs: (0..<20_000 as Range<UInt64>).map { $0 * step + 1...$0 * step + 1 })
        writer.write(scattered: 20_000)
      }
      boundMemory {
        precondition((try? ORSet<NoPayload>(decoding: units)) == nil)
        let set = try? ORSet<Int>(decoding: sparse)
        precondition(set?.count == 20_000)
        precondition(set?.encoded() == sparse)
      }
    }
  }

  @Test("texts that share what was never there, and lengths beyond the input") func texts() {
    for (lengths, rest) in [
      (0xF0, [0x00]), (0xFF, [0xFF, 0xFF, 0x7F, 0x00]), (0x0F, [0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
      (0x10, []), (0x0E, [0x61]),
    ] as [(UInt8, [UInt8])] {
      let bytes = forged(ORSet<String>.typeCode) { writer in
        writer.write(varint: 1)
        writer.write(head: ReplicaID(1), seen: 1)
        writer.write(runs: [1...1])
        writer.write([lengths] + rest)
      }
      #expect(throws: DecodingFailure.self) { try ORSet<String>(decoding: bytes) }
    }
  }
}

/// Runs the body; traps if it maps more than 64 MB beyond what was mapped before.
private func boundMemory(_ body: () -> Void) {
  let before = memoryPeak()
  body()
  guard let before, let after = memoryPeak() else { return }
  precondition(after - before < 64 << 20, "\((after - before) >> 20) MB")
}
