import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

@testable import CRDTKit

/// Elements of texts that an encoder by the article on the format has written, without any
/// editor: the package reads and writes the same.
@Suite("Elements of texts that no editor wrote")
struct TextCodingColumnTests {
  private typealias Column = (replica: UInt64, base: UInt64, elements: [PlainElement])

  @Test("columns of random runs, as states and as deltas")
  func columns() {
    for seed in seeds(120, long: 30_000) {
      var random = SeededGenerator(seed: seed)
      let bases = (0..<3).map { _ in [0, 1, 1_000, 1_024, 5_000][random.below(5)] as UInt64 }
      let runs = (0..<random.below(30) + 1).map { _ in RandomRun(using: &random) }
      for bases in [[0, 0, 0], bases] {
        let problem = shrunkenFailure(of: runs, seed: seed) { failure(of: $0, after: bases) }
        guard let problem else { continue }
        Issue.record("after \(bases): \(problem)")
        return
      }
    }
  }

  private func failure(of runs: [RandomRun], after bases: [UInt64]) -> String? {
    var columns: [Column] = zip([1, 2, 0xFFFF_0000_0000_0001], bases).map { ($0, $1, []) }
    for run in runs { run.add(to: &columns) }
    columns.removeAll { $0.elements.isEmpty }
    let isDelta = bases.contains { $0 > 0 }
    let bytes = isDelta ? delta(columns) : state(columns)
    do throws(DecodingFailure) {
      let found: [(replica: UInt64, elements: [PlainElement])]
      if isDelta {
        let delta = try TableDelta<ReplicatedText>(decoding: bytes)
        if delta.encoded() != bytes { return "\(delta.encoded()) instead of \(bytes)" }
        found = DotTable(columns: delta.changes.columns).plainElements()
      } else {
        let text = try ReplicatedText(decoding: bytes)
        if text.encoded() != bytes { return "\(text.encoded()) instead of \(bytes)" }
        found = text._table.plainElements()
      }
      for (found, column) in zip(found, columns) where found.elements != column.elements {
        return "\(found.elements) instead of \(column.elements)"
      }
      return found.count == columns.count ? nil : "\(found.count) columns"
    } catch {
      return "\(error): \(columns.map(\.elements))"
    }
  }

  private func state(_ columns: [Column]) -> [UInt8] {
    forged([44]) { writer in
      writer.write(varint: UInt64(columns.count))
      for column in columns {
        writer.write(head: ReplicaID(column.replica), seen: seen(column))
      }
      write(columns, to: &writer)
    }
  }

  private func delta(_ columns: [Column]) -> [UInt8] {
    forged([31, 44]) { writer in
      writer.write(varint: UInt64(columns.count))
      for column in columns {
        writer.write(head: ReplicaID(column.replica), base: column.base, seen: seen(column))
      }
      write(columns, to: &writer)
      writer.write([UInt8](repeating: 0, count: 1 + columns.count))
    }
  }

  /// Writes that a column has no rows, and its elements.
  private func write(_ columns: [Column], to writer: inout ByteWriter) {
    for column in columns {
      writer.write(1 as UInt8)
      writer.write(
        PlainElementWriter.encode(
          column.elements, after: column.base, replicas: columns.map(\.replica)))
    }
  }

  /// The last event: that of the last element, or one a little later.
  private func seen(_ column: Column) -> UInt64 {
    let last = column.elements.last?.id.counter ?? 0
    return last + last % 3
  }

  /// What is done to one of four texts of a document, by one of two replicas.
  private enum Step: Hashable {
    case insert(Int, text: Int, position: Int, count: Int)
    case delete(Int, text: Int, position: Int, count: Int)
    case merge(Int)

    init(using random: inout SeededGenerator) {
      let (replica, text) = (random.below(2), random.below(4))
      let position = random.below(10_000)
      switch random.below(8) {
      case 0..<4:
        let count = [1, 15, random.below(30) + 1, random.below(900) + 1][random.below(4)]
        self = .insert(replica, text: text, position: position, count: count)
      case 4..<7:
        self = .delete(replica, text: text, position: position, count: random.below(60) + 1)
      default: self = .merge(replica)
      }
    }
  }

  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text, "title": .text])])

  @Test("the texts of a document, among its rows")
  func documents() {
    for seed in seeds(150, long: 20_000) {
      var random = SeededGenerator(seed: seed)
      let steps = (0..<random.below(25) + 2).map { _ in Step(using: &random) }
      if let problem = shrunkenFailure(of: steps, seed: seed, documentFailure) {
        Issue.record("\(problem)")
        return
      }
    }
  }

  private func documentFailure(of steps: [Step]) -> String? {
    var documents = [Document(schema: Self.schema), Document(schema: Self.schema)]
    for (number, step) in steps.enumerated() {
      act(step, on: &documents, at: UInt64(number) + 1)
    }
    let document = documents[0].merging(documents[1])
    var bytes = document.encoded()[...]
    let columns = document._table.plainElements()
    for column in columns where !column.elements.isEmpty {
      let expected = PlainElementWriter.encode(column.elements, replicas: columns.map(\.replica))
      guard let range = bytes.firstRange(of: expected) else {
        return "other bytes: \(bytes) don't have \(expected)"
      }
      let read = try? PlainElementReader.decode(
        Array(bytes), at: range.lowerBound - bytes.startIndex, of: column.replica,
        replicas: columns.map(\.replica))
      if read?.elements != column.elements { return "read otherwise" }
      bytes = bytes[range.upperBound...]
    }
    if columns.last.map({ !$0.elements.isEmpty }) == true, bytes.count != 4 {
      return "bytes after the elements"
    }
    guard let decoded = try? Document(decoding: document.encoded(), schema: Self.schema) else {
      return "not decoded"
    }
    for (found, column) in zip(decoded._table.plainElements(), columns)
    where found.elements != column.elements {
      return "\(found.elements) instead of \(column.elements)"
    }
    return nil
  }

  private func act(_ step: Step, on documents: inout [Document], at time: UInt64) {
    func edit(_ acting: Int, _ text: Int, _ body: (inout Document.TextEditor) -> Void) {
      let stamp = HybridTimestamp(milliseconds: time, replica: ReplicaID(UInt64(acting) + 1))
      documents[acting].edit(at: stamp) {
        $0.editText(text < 2 ? "body" : "title", of: text % 2 == 0 ? "a" : "b", in: "notes", body)
      }
    }
    switch step {
    case .insert(let acting, let text, let position, let count):
      edit(acting, text) {
        let place = position % ($0.text.count(in: .unicodeScalars) + 1)
        $0.insert(
          String(repeating: "n", count: count), at: $0.text.index(place, in: .unicodeScalars))
      }
    case .delete(let acting, let text, let position, let count):
      edit(acting, text) {
        let length = $0.text.count(in: .unicodeScalars)
        guard length > 0 else { return }
        let first = position % length
        $0.removeSubrange(
          $0.text.index(
            first, in: .unicodeScalars)..<$0.text.index(
              min(first + count, length), in: .unicodeScalars))
      }
    case .merge(let acting): documents[acting].merge(documents[1 - acting])
    }
  }
}
