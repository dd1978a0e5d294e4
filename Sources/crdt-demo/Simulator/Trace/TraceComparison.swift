import CRDTKit
import Toolkit

/// The first difference between two traces.
struct TraceComparison: Equatable {
  /// One of the traces, where they differ.
  struct Side: Equatable {
    /// What the trace is called.
    var name: String
    /// The event there; `nil` where the trace has ended.
    var event: TraceEvent?
  }

  /// The line, from 1; all before it are equal.
  var line: Int
  var left: Side
  var right: Side

  /// Compares traces as they are read; `nil` if they are equal.
  init?(_ left: inout TraceReader, _ right: inout TraceReader) throws(CommandFailure) {
    while true {
      let sides = (try left.next(), try right.next())
      if sides.0 == nil, sides.1 == nil { return nil }
      guard sides.0 != sides.1 else { continue }
      self.left = Side(name: left.name, event: sides.0)
      self.right = Side(name: right.name, event: sides.1)
      line = max(left.line, right.line)
      return
    }
  }

  /// Compares events, the left ones with those expected; `nil` if they are equal.
  init?(of left: [TraceEvent], named leftName: String, with right: [TraceEvent], named name: String)
  {
    let same = zip(left, right).prefix { $0 == $1 }.count
    guard same < max(left.count, right.count) else { return nil }
    line = same + 1
    self.left = Side(name: leftName, event: same < left.count ? left[same] : nil)
    self.right = Side(name: name, event: same < right.count ? right[same] : nil)
  }
}

extension TraceComparison: CustomStringConvertible {
  var description: String {
    var heading = "the traces differ first in line \(line.grouped)"
    if let left = left.event, let right = right.event {
      heading += ", in \(left.differences(from: right).joined(separator: ", "))"
    }
    return [left, right].reduce(heading + ":") { $0 + "\n  \(text($1))" }
  }

  private func text(_ side: Side) -> String {
    guard let event = side.event else {
      return "\(side.name.visible):\(line): nothing, the trace ends before it"
    }
    return "\(side.name.visible):\(line): \(event.line)"
  }
}
