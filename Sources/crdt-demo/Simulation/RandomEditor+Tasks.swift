import CRDTKit

extension RandomEditor {
  /// Draws a change of a field of a task.
  mutating func drawTaskChange() -> Change {
    let task = record(of: SharedDocument.tasks)
    let (field, value) = taskField()
    return { $0.set(field, of: task, in: SharedDocument.tasks, to: value) }
  }

  private mutating func taskField() -> (path: FieldPath, value: Document.Value) {
    switch generator.below(7) {
    case 0: ("title", phrase())
    case 1: ("done", .bool(generator.below(2) == 0))
    case 2: ("owner", .string(word()))
    case 3: ("reviewer", .string(word()))
    case 4: ("opened", .timestamp(Double(generator.below(1_000_000))))
    case 5: ("due", .int(Int64(generator.below(1_000))))
    default: ("steps", .array([phrase(), .double(Double(generator.below(8)) / 4), .null]))
    }
  }
}
