import CRDTTestSupport
import Testing
import Toolkit

@testable import CRDTKit

/// Texts in documents beside naive sequences, over random schedules of edits and merges.
///
/// Each step concerns one of three texts: two of one record, one of another. Fields of other
/// rules are written in between, so that events of rows and of characters alternate.
@Suite("Texts in documents against naive sequences")
struct DocumentTextLawTests {
  private typealias Place = (record: String, field: FieldPath)

  private static let places: [Place] = [("n1", "body"), ("n1", ["meta", "about"]), ("n2", "body")]

  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text, "meta.about": .text])])

  @Test("each replica shows what the naive sequences show, however changes arrive")
  func schedules() {
    for seed: UInt64 in 1...60 {
      let schedule = RandomTextSchedule(seed: seed)
      if let problem = schedule.leastFailure(failure(of:)) { Issue.record("\(problem)") }
    }
  }

  private func failure(of schedule: RandomTextSchedule) -> String? {
    var models = Self.places.map { _ in NaiveReplicas(count: schedule.replicaCount) }
    var documents = Array(
      repeating: Document(schema: Self.schema), count: schedule.replicaCount)
    for (number, step) in schedule.steps.enumerated() {
      let text = text(of: step)
      let acting: Int
      switch step {
      case .insert(let who, _, _), .delete(let who, _, _):
        acting = who % documents.count
        apply(step, number, to: text, of: &documents[acting], by: acting)
        models[text].apply(step)
      case .merge(let who, let from):
        acting = who % documents.count
        take(documents[from % documents.count], number, into: &documents[acting])
        for place in models.indices { models[place].apply(step) }
      }
      for place in models.indices {
        let problem = difference(
          documents[acting], place, models[place].sequences[acting].text, number)
        if let problem { return "step \(number), \(step): \(problem)" }
      }
    }
    for place in documents.indices {
      for other in documents.indices { documents[place].merge(documents[other]) }
    }
    for place in documents.indices {
      for other in documents.indices { documents[place].merge(documents[other]) }
      if documents[place].encoded() != documents[0].encoded() { return "other bytes at \(place)" }
      if documents[place].contentDigest != documents[0].contentDigest { return "other digest" }
    }
    return nil
  }

  private func text(of step: RandomTextSchedule.Step) -> Int {
    switch step {
    case .insert(_, let position, _), .delete(_, let position, _): position % Self.places.count
    case .merge: 0
    }
  }

  private func apply(
    _ step: RandomTextSchedule.Step, _ number: Int, to text: Int, of document: inout Document,
    by replica: Int
  ) {
    let (record, field) = Self.places[text]
    let stamp = HybridTimestamp(
      milliseconds: UInt64(number) + 1, replica: ReplicaID(UInt64(replica) + 1))
    document.edit(at: stamp) { edit in
      if number % 4 == 0 { edit.set("title", of: record, in: "notes", to: .int(Int64(number))) }
      edit.editText(field, of: record, in: "notes") { body in
        let count = body.text.count(in: .unicodeScalars)
        switch step {
        case .insert(_, let position, let string):
          body.insert(string, at: body.text.index(position % (count + 1), in: .unicodeScalars))
        case .delete(_, let position, let length) where count > 0:
          let first = position % count
          let start = body.text.index(first, in: .unicodeScalars)
          let end = body.text.index(min(first + length, count), in: .unicodeScalars)
          body.removeSubrange(start..<end)
        case .delete, .merge: break
        }
      }
    }
  }

  private func take(_ other: Document, _ number: Int, into document: inout Document) {
    do { try document.take(other, way: number) } catch { Issue.record(error) }
  }

  private func difference(
    _ document: Document, _ place: Int, _ expected: String, _ number: Int
  ) -> String? {
    let (record, field) = Self.places[place]
    let value = document.value(of: field, of: record, in: "notes")
    guard value != nil || !expected.isEmpty else { return nil }
    if value != .string(expected) { return "\(String(describing: value)), not \(expected)" }
    guard let text = document.text(of: field, of: record, in: "notes") else { return "no text" }
    if String(text) != expected { return "the text \(text), not \(expected)" }
    if text.count(in: .utf16) != expected.utf16.count { return "\(text.count(in: .utf16)) units" }
    let (start, end) = (text.startIndex, text.endIndex)
    if text[start..<end] != expected { return "\(text[start..<end]) as a part" }
    for unit in [ReplicatedText.Unit.unicodeScalars, .utf16] where !expected.isEmpty {
      let offset = number % text.count(in: unit)
      let index = text.index(offset, in: unit)
      let anchor = text.anchor(at: index, .before)
      if text.index(of: anchor) != index { return "an anchor at \(offset)" }
    }
    return nil
  }
}
