import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A document's rows are read as any table's are, only faster: the same bytes give the
/// same, or are refused for the same reason at the same place.
@Suite("Reading a document's rows")
struct DocumentRowReaderTests {
  typealias Table = DotTable<Document.RowKey, Document.RowPayload>

  @Test("states and deltas, whole, cut and damaged, as the plain reader reads them")
  func plain() throws {
    var refusedCount = 0
    for seed in 0..<5 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let documents = relatedDocuments(count: 3, stepCount: 120, seed: seed)
      let states = documents.map { $0.encoded() }
      let version = documents[0].version
      let deltas = documents.map { $0.delta(since: version).encoded() }
      for _ in 0..<120 {
        let state = damaged(states[0], with: states, using: &random)
        if try refusesState(body(of: state, of: Document.self)) { refusedCount += 1 }
        let delta = damaged(deltas[1], with: deltas, using: &random)
        if try refusesDelta(body(of: delta, of: TableDelta<Document>.self)) { refusedCount += 1 }
      }
      for (state, delta) in zip(states, deltas) {
        #expect(try !refusesState(body(of: state, of: Document.self)), "seed \(seed)")
        #expect(try !refusesDelta(body(of: delta, of: TableDelta<Document>.self)), "seed \(seed)")
        let bytes = body(of: state, of: Document.self)
        for count in stride(from: 0, to: bytes.count, by: 23) {
          #expect(try refusesState(Array(bytes[..<count])), "seed \(seed)")
        }
      }
    }
    #expect(refusedCount > 300)
  }

  private func body<Value: BinaryCodable>(of bytes: [UInt8], of _: Value.Type) -> [UInt8] {
    Array(bytes.dropFirst(3 + Value.typeCode.count).dropLast(4))
  }

  /// Whether both readers refuse a state: they must agree, and read the same.
  private func refusesState(_ bytes: [UInt8]) throws -> Bool {
    let ours = result { reader throws(DecodingFailure) in
      try Document(from: &reader).encoded()
    }(bytes)
    let plain = result { reader throws(DecodingFailure) in
      Document(_table: try Table(from: &reader)).encoded()
    }(bytes)
    #expect(ours == plain, "\(bytes)")
    if case .failure = ours { return true }
    return false
  }

  private func refusesDelta(_ bytes: [UInt8]) throws -> Bool {
    let ours = result { reader throws(DecodingFailure) in
      var memory: CodingMemory?
      return try TableDelta<Document>(bodyFrom: &reader, remembering: &memory).encoded()
    }(bytes)
    let plain = result { reader throws(DecodingFailure) in
      TableDelta<Document>(try Table.Delta(from: &reader)).encoded()
    }(bytes)
    #expect(ours == plain, "\(bytes)")
    if case .failure = ours { return true }
    return false
  }

  private func result(
    _ read: @escaping (inout ByteReader) throws(DecodingFailure) -> [UInt8]
  ) -> ([UInt8]) -> Result<[UInt8], DecodingFailure> {
    { bytes in
      var reader = ByteReader(bytes)
      do throws(DecodingFailure) {
        return .success(try read(&reader))
      } catch {
        return .failure(error)
      }
    }
  }
}
