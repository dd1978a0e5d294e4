import CRDTKit
import Toolkit

/// The conflicts of a merge, as people read them.
struct MergeReport {
  /// How many conflicts are shown.
  static let conflictsMax = 1_000
  /// How much of a value or path is shown, in characters.
  static let lengthMax = 200

  var lines: [String]

  init(of conflicts: [ThreeWayMerge.Conflict], in file: String) {
    let file = file.visible
    lines = conflicts.prefix(Self.conflictsMax).map { conflict in
      let path = conflict.path.names.isEmpty ? "the root" : Self.text(of: conflict.path)
      return "\(file): conflict at \(path): base \(Self.text(of: conflict.base)), "
        + "ours \(Self.text(of: conflict.ours)), theirs \(Self.text(of: conflict.theirs))"
    }
    if conflicts.count > Self.conflictsMax {
      lines.append("\(file): and \((conflicts.count - Self.conflictsMax).grouped) more conflicts")
    }
  }

  /// A path, quoted if it would be unclear otherwise.
  private static func text(of path: FieldPath) -> String {
    let text = path.description
    let quoted = text.jsonQuoted
    let isPlain = quoted.utf8.count == text.utf8.count + 2 && !text.contains { ": ,".contains($0) }
    return clipped(isPlain && !text.isEmpty ? text : quoted)
  }

  private static func text(of value: Document.Value?) -> String {
    value.map { clipped(JSONValue(plain: $0).description) } ?? "absent"
  }

  /// A text, or its beginning where it is long.
  static func clipped(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard
      let end = scalars.index(
        scalars.startIndex, offsetBy: lengthMax, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}
