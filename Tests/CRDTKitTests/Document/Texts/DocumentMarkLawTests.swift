import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

/// Marks of several texts in documents beside the naive model of marks, over random schedules.
///
/// Each step concerns one of three texts: two of one record, one of another. Each replica has a
/// text and a model of its marks for each of them.
@Suite("Marks in documents against a naive model")
struct DocumentMarkLawTests {
  private static let places: [(record: String, field: FieldPath)] = [
    ("n1", "body"), ("n1", ["meta", "about"]), ("n2", "body"),
  ]
  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text, "meta.about": .text])])

  private struct Site {
    var document = Document(schema: DocumentMarkLawTests.schema)
    var texts = Array(repeating: MarkSite(), count: DocumentMarkLawTests.places.count)

    func text(_ number: Int) -> Document.Text? {
      let (record, field) = DocumentMarkLawTests.places[number]
      return document.text(of: field, of: record, in: "notes")
    }
  }

  @Test("each replica shows what the model shows, however changes arrive")
  func schedules() {
    for seed: UInt64 in seeds(25, long: 2_000) {
      let steps = MarkSchedule(seed: seed).steps
      if let problem = shrunkenFailure(of: steps, seed: seed, failure) {
        Issue.record("\(problem)")
      }
    }
  }

  /// Returns what goes wrong in a schedule.
  private func failure(of steps: [MarkSchedule.Step]) -> String? {
    var sites = Array(repeating: Site(), count: MarkSchedule.replicaCount)
    for (number, step) in steps.enumerated() {
      let before = sites[step.replica]
      do { try act(step, number, on: &sites) } catch { return "step \(number), \(step): \(error)" }
      if let problem = problem(sites[step.replica], since: before) {
        return "step \(number), \(step): \(problem)"
      }
    }
    for _ in 0...1 {
      for place in sites.indices {
        for other in sites { merge(other, into: &sites[place]) }
      }
    }
    for site in sites {
      if site.document.encoded() != sites[0].document.encoded() { return "other bytes" }
      if site.document.contentDigest != sites[0].document.contentDigest { return "other digest" }
      if let problem = problem(site, since: site) { return "merged: \(problem)" }
    }
    return nil
  }

  private func merge(_ other: Site, into site: inout Site) {
    site.document.merge(other.document)
    for place in site.texts.indices { site.texts[place].merge(other.texts[place]) }
  }

  private func act(_ step: MarkSchedule.Step, _ number: Int, on sites: inout [Site]) throws {
    let (who, name) = (step.replica, ReplicaID(UInt64(step.replica) + 1))
    // One time for all, so that the order of events decides, as it does in the model.
    let stamp = HybridTimestamp(milliseconds: 1, replica: name)
    switch step {
    case .merge(_, let other):
      try sites[who].document.take(sites[other].document, way: number)
      for place in sites[who].texts.indices {
        sites[who].texts[place].merge(sites[other].texts[place])
      }
    case .insert(_, let position, let string):
      let place = (position + string.utf8.count) % Self.places.count
      let text = sites[who].texts[place].text
      let offset = position % (text.count(in: .unicodeScalars) + 1)
      sites[who].texts[place].text.insert(string, at: text.place(offset), by: name)
      edit(&sites[who].document, place, at: stamp) {
        $0.insert(string, at: $0.text.index(offset, in: .unicodeScalars))
      }
    case .replace(_, let range, let string):
      let place = range.upperBound % Self.places.count
      guard let range = sites[who].texts[place].range(range) else { return }
      let text = sites[who].texts[place].text
      let places = text.places(range)
      let whole =
        text[text.startIndex..<places.lowerBound] + string + text[places.upperBound..<text.endIndex]
      if number % 2 == 0 {
        sites[who].texts[place].text.replaceSubrange(places, with: string, by: name)
        edit(&sites[who].document, place, at: stamp) {
          $0.replaceSubrange($0.range(range), with: string)
        }
        return
      }
      sites[who].texts[place].text.set(to: whole, by: name)
      let (record, field) = Self.places[place]
      sites[who].document.edit(at: stamp) {
        $0.set(field, of: record, in: "notes", to: .string(whole))
      }
    case .mark(_, let range, let mark, let value, let growth):
      let place = range.upperBound % Self.places.count
      guard let range = sites[who].texts[place].range(range) else { return }
      sites[who].texts[place].mark(range, mark, value, growth, by: name)
      edit(&sites[who].document, place, at: stamp) { text in
        if let value {
          text.mark(text.range(range), as: mark, value: value, growing: growth)
        } else {
          text.unmark(text.range(range), as: mark)
        }
      }
    }
  }

  private func edit(
    _ document: inout Document, _ place: Int, at stamp: HybridTimestamp,
    _ body: (inout Document.TextEditor) -> Void
  ) {
    let (record, field) = Self.places[place]
    document.edit(at: stamp) { $0.editText(field, of: record, in: "notes", body) }
  }

  /// How the texts of a document differ from the models, or the changes that they report.
  private func problem(_ site: Site, since earlier: Site) -> String? {
    site.document._table.checkEveryInvariant()
    for (place, model) in site.texts.enumerated() {
      let string = String(model.text)
      guard let text = site.text(place) else {
        if string.isEmpty { continue }
        return "no text \(place)"
      }
      if String(text) != string { return "text \(place): \(text) instead of \(string)" }
      let expected = model.marked()
      let shown = text.runs.flatMap { run in
        Array(repeating: run.marks, count: text[run.range].unicodeScalars.count)
      }
      if shown != expected { return "text \(place): \(shown) instead of \(expected)" }
      for name in ["bold", "link"] {
        let marked = text.ranges(markedAs: name).map { text[$0.range].unicodeScalars.count }
        if marked.reduce(0, +) != expected.count(where: { $0[name] != nil }) {
          return "text \(place): \(marked) characters are \(name)"
        }
      }
      guard let before = earlier.text(place) else { continue }
      var isChanged = Array(repeating: false, count: expected.count)
      for range in text.markChanges(since: before) {
        let first = text.offset(of: range.lowerBound, in: .unicodeScalars)
        let end = text.offset(of: range.upperBound, in: .unicodeScalars)
        for place in first..<end { isChanged[place] = true }
      }
      let then = model.marked(among: earlier.texts[place].marks)
      if isChanged != zip(expected, then).map({ $0 != $1 }) { return "changes: \(isChanged)" }
    }
    return nil
  }
}

extension Document.TextEditor {
  /// The positions of scalars.
  func range(_ offsets: Range<Int>) -> Range<ReplicatedText.Index> {
    let text = text
    return text.index(
      offsets.lowerBound, in: .unicodeScalars)..<text.index(
        offsets.upperBound, in: .unicodeScalars)
  }
}
