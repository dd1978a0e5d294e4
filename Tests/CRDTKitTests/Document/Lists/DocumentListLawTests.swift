import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

@testable import CRDTKit

/// Lists in documents beside a naive model, over random schedules of edits and merges.
///
/// The document is told whole arrays, and finds out what has changed; the model is told what
/// has changed.
@Suite("Lists in documents against a naive list")
struct DocumentListLawTests {
  private static let schema = Schema(
    collections: ["boards": Schema.Collection(fields: ["tasks": .list])])

  @Test("each replica shows what the naive list shows, however changes arrive")
  func schedules() {
    for seed in seeds(40, long: 5_000) {
      let schedule = RandomListSchedule(seed: seed)
      if let problem = schedule.leastFailure(failure(of:)) { Issue.record("\(problem)") }
    }
  }

  private func failure(of schedule: RandomListSchedule) -> String? {
    var models = Array(repeating: NaiveTasks(), count: schedule.replicaCount)
    var documents = Array(
      repeating: Document(schema: Self.schema), count: schedule.replicaCount)
    for (number, step) in schedule.steps.enumerated() {
      let acting = step.replica % documents.count
      if case .merge(_, let from) = step {
        take(documents[from % documents.count], number, into: &documents[acting])
        models[acting].merge(models[from % documents.count])
      } else {
        var tasks = models[acting].tasks
        models[acting].apply(step, number, to: &tasks, by: UInt64(acting) + 1)
        let stamp = HybridTimestamp(
          milliseconds: UInt64(number) + 1, replica: ReplicaID(UInt64(acting) + 1))
        documents[acting].edit(at: stamp) {
          _ = $0.set("tasks", of: "b", in: "boards", to: .array(tasks.map(\.value)))
        }
      }
      if let problem = difference(documents[acting], models[acting]) {
        return "step \(number), \(step): \(problem)"
      }
    }
    for _ in 0..<2 {
      for place in documents.indices {
        for other in documents.indices {
          documents[place].merge(documents[other])
          models[place].merge(models[other])
        }
      }
    }
    for place in documents.indices {
      if let problem = difference(documents[place], models[place]) { return "at last: \(problem)" }
      if documents[place].encoded() != documents[0].encoded() { return "other bytes at \(place)" }
      if documents[place].contentDigest != documents[0].contentDigest { return "other digest" }
    }
    return nil
  }

  private func difference(_ document: Document, _ model: NaiveTasks) -> String? {
    let value = document.value(of: "tasks", of: "b", in: "boards")
    let expected = model.tasks.map(\.value)
    guard value != nil || !expected.isEmpty else { return nil }
    if value != .array(expected) {
      return "\(String(describing: value)), not \(Document.Value.array(expected))"
    }
    let fields = document.fields(of: "b", in: "boards")
    return fields?["tasks"] == value ? nil : "another value in the record's fields"
  }

  private func take(_ other: Document, _ number: Int, into document: inout Document) {
    do { try document.take(other, way: number) } catch { Issue.record(error) }
  }
}

extension RandomListSchedule.Step {
  fileprivate var replica: Int {
    switch self {
    case .insert(let replica, _, _), .replace(let replica, _, _), .move(let replica, _, _),
      .moveSome(let replica, _, _, _), .remove(let replica, _, _), .merge(let replica, _):
      replica
    }
  }
}

/// Tasks by identifiers, with nothing that makes it fast: rows that stay in a merge if both
/// sides have them, or if one has it and the other has not seen its event.
private struct NaiveTasks {
  struct Task: Equatable {
    var id: String
    var title: String

    var value: Document.Value { ["id": .string(id), "title": .string(title)] }
  }

  private enum Content: Equatable {
    case presence
    case title(String)
    case place(ElementID)
  }

  private struct Row: Equatable {
    var task: String
    var content: Content
    var time: Int
  }

  private var places = NaiveSequence()
  private var rows: [ElementID: Row] = [:]
  private var seen: [UInt64: UInt64] = [:]

  /// The tasks in order.
  var tasks: [Task] {
    let shown = Set(rows.values.lazy.filter { $0.content == .presence }.map(\.task))
    var latest: [String: (time: Int, dot: ElementID, place: ElementID)] = [:]
    var titles: [String: (time: Int, dot: ElementID, title: String)] = [:]
    for (dot, row) in rows {
      switch row.content {
      case .presence: break
      case .title(let title):
        if let known = titles[row.task], (known.time, known.dot) > (row.time, dot) { continue }
        titles[row.task] = (row.time, dot, title)
      case .place(let place):
        if let known = latest[row.task], (known.time, known.dot) > (row.time, dot) { continue }
        latest[row.task] = (row.time, dot, place)
      }
    }
    let owners = Dictionary(
      latest.filter { shown.contains($0.key) }.map { ($1.place, $0) }
    ) { $1 }
    return places.visibleIDs(in: 0..<places.count).compactMap { place in
      owners[place].map { Task(id: $0, title: titles[$0]?.title ?? "") }
    }
  }

  /// Applies a step to the tasks, and to the rows as one who knows what it does.
  mutating func apply(
    _ step: RandomListSchedule.Step, _ number: Int, to tasks: inout [Task], by replica: UInt64
  ) {
    switch step {
    case .insert(_, let position, let titles):
      let index = position % (tasks.count + 1)
      for (offset, title) in titles.enumerated() {
        let task = Task(id: "t\(title)", title: title)
        tasks.insert(task, at: index + offset)
        write(Row(task: task.id, content: .presence, time: number), by: replica)
        write(Row(task: task.id, content: .title(title), time: number), by: replica)
        place(index + offset, in: tasks, number, by: replica)
      }
    case .replace(_, let position, let title) where !tasks.isEmpty:
      let index = position % tasks.count
      tasks[index].title = title
      let id = tasks[index].id
      rows = rows.filter { _, row in
        if case .title = row.content { row.task != id } else { true }
      }
      write(Row(task: id, content: .title(title), time: number), by: replica)
    case .move(_, let from, let to), .moveSome(_, let from, _, let to):
      guard tasks.count > 2 else { return }
      let (from, to) = (from % tasks.count, to % tasks.count)
      // Of a swap of neighbors, either could have moved.
      guard abs(from - to) > 1 else { return }
      tasks.insert(tasks.remove(at: from), at: to)
      place(to, in: tasks, number, by: replica)
    case .remove(_, let position, let count) where !tasks.isEmpty:
      let first = position % tasks.count
      let gone = tasks[first..<min(first + count, tasks.count)].map(\.id)
      tasks.removeAll { gone.contains($0.id) }
      for (_, row) in rows where gone.contains(row.task) { kill(row) }
      rows = rows.filter { !gone.contains($0.value.task) }
    case .replace, .remove, .merge: break
    }
  }

  /// Makes a task stand after the one before it.
  private mutating func place(
    _ index: Int, in tasks: [Task], _ number: Int, by replica: UInt64
  ) {
    var visible = 0
    if index > 0, let previous = latestPlace(of: tasks[index - 1].id) {
      visible = (places.visibleIDs(in: 0..<places.count).firstIndex(of: previous) ?? 0) + 1
    }
    let id = tasks[index].id
    let nodes = places.makeInserts(
      at: visible, " ", replica: replica, firstCounter: seen[replica, default: 0] + 1)
    for node in nodes {
      places.insert(node)
      seen[replica, default: 0] += 1
    }
    for (dot, row) in rows where row.task == id {
      guard case .place = row.content else { continue }
      kill(row)
      rows[dot] = nil
    }
    write(Row(task: id, content: .place(nodes[0].id), time: number), by: replica)
  }

  private func latestPlace(of task: String) -> ElementID? {
    var latest: (time: Int, dot: ElementID, place: ElementID)?
    for (dot, row) in rows where row.task == task {
      guard case .place(let place) = row.content else { continue }
      if let known = latest, (known.time, known.dot) > (row.time, dot) { continue }
      latest = (row.time, dot, place)
    }
    return latest?.place
  }

  private mutating func kill(_ row: Row) {
    if case .place(let place) = row.content { places.delete(place) }
  }

  private mutating func write(_ row: Row, by replica: UInt64) {
    seen[replica, default: 0] += 1
    rows[ElementID(replica: replica, counter: seen[replica, default: 0])] = row
  }

  mutating func merge(_ other: NaiveTasks) {
    places.merge(other.places)
    rows = rows.filter { dot, _ in
      other.rows[dot] != nil || dot.counter > other.seen[dot.replica, default: 0]
    }
    for (dot, row) in other.rows where dot.counter > seen[dot.replica, default: 0] {
      rows[dot] = row
    }
    seen.merge(other.seen, uniquingKeysWith: max)
  }
}
