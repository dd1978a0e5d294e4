import Toolkit

/// The progress of a simulation in lines of a terminal.
struct LiveView {
  /// How many columns and rows there are.
  var columns: Int
  var rows: Int
  /// Text as it looks on this terminal.
  let styled: (TextStyle, String) -> String

  private static let barMax = 40

  /// No more lines than there are rows, none wider than the columns.
  func lines(of progress: SimulationProgress) -> [String] {
    let groups = Self.groups(of: progress.rows)
    let heading = [progress.headline, agreement(groups, of: progress.rows.count), sent(progress)]
    var lines = [line(heading.filter { !$0.isEmpty }.joined(separator: " · "), .bold)]
    let room = max(rows - 3, 0)
    let isWhole = progress.rows.count <= room
    let shown = isWhole ? progress.rows.count : max(room - 1, 0)
    let widths = Widths(progress.rows)
    let isShared = groups.count { $0 == 0 } > 1
    for (index, row) in progress.rows.prefix(shown).enumerated() {
      lines.append(line(of: row, at: index, in: groups[index], isShared, widths))
    }
    if !isWhole, room > 0 {
      lines.append(line("… and \((progress.rows.count - shown).grouped) more", .dim))
    }
    if !progress.faults.isEmpty { lines.append(line(progress.faults, .dim)) }
    return Array(lines.prefix(max(rows - 1, 1)))
  }

  private func line(_ text: String, _ style: TextStyle) -> String {
    styled(style, text.clipped(to: max(columns - 2, 1)))
  }

  /// How wide the columns of the rows are.
  private struct Widths {
    var place = 1
    var done = 1
    var bytes = 1
    var note = 0

    init(_ rows: [SimulationProgress.Row]) {
      place = String(rows.count).count
      done = rows.map(\.done.count).max() ?? 1
      let sent = rows.filter { $0.bytes > 0 }
      bytes = sent.map { ByteCount.text($0.bytes).count }.max() ?? 0
      note = rows.map(\.note.count).max() ?? 0
    }
  }

  private func line(
    of row: SimulationProgress.Row, at index: Int, in group: Int?, _ isShared: Bool,
    _ widths: Widths
  ) -> String {
    let place = String(index + 1).rightAligned(to: widths.place)
    let done = row.done.rightAligned(to: widths.done)
    // Where nobody's bytes are known there is no column of them.
    let bytes =
      widths.bytes == 0
      ? "" : ByteCount.text(row.bytes).rightAligned(to: max(widths.bytes, 3)) + "  "
    let letter = group.map(Self.letter) ?? " "
    let note = row.note.isEmpty ? "" : "  \(row.note)"
    let rest = "  \(done)  \(bytes)"
    let taken = 2 + place.count + rest.count + 1 + (widths.note == 0 ? 0 : widths.note + 2)
    let bar = Self.bar(row.share, width: min(columns - 2 - taken, Self.barMax))
    let text = "\(place)  \(bar)\(rest)\(letter)\(note)"
    guard text.count <= columns - 2 else { return line(text, .dim) }
    let shown = styled(group == 0 && isShared ? .green : .dim, letter)
    return "\(place)  \(bar)\(rest)\(shown)\(styled(.red, note))"
  }

  private static func bar(_ share: Double, width: Int) -> String {
    guard width > 2 else { return "" }
    let full = Int((min(max(share, 0), 1) * Double(width)).rounded(.down))
    return String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
  }

  /// Which replicas agree: groups of equal digests, the largest first.
  private static func groups(of rows: [SimulationProgress.Row]) -> [Int?] {
    var counts: [String: (count: Int, first: Int)] = [:]
    for (index, row) in rows.enumerated() {
      if let digest = row.digest { counts[digest, default: (0, index)].count += 1 }
    }
    let order = counts.sorted {
      ($1.value.count, $0.value.first) < ($0.value.count, $1.value.first)
    }
    let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1.key, $0) })
    return rows.map { $0.digest.flatMap { places[$0] } }
  }

  private static func letter(_ group: Int) -> String {
    group < 26 ? String(UnicodeScalar(UInt8(ascii: "A") + UInt8(group))) : "…"
  }

  private func agreement(_ groups: [Int?], of count: Int) -> String {
    let known = groups.compactMap { $0 }
    guard !known.isEmpty else { return "" }
    let largest = known.count { $0 == 0 }
    return largest == 1 && count > 1
      ? "no two agree" : "\(largest.grouped) of \(count.grouped) agree"
  }

  private func sent(_ progress: SimulationProgress) -> String {
    let sum = progress.rows.reduce(0) { $0 + $1.bytes }
    return sum == 0 ? "" : "\(ByteCount.text(sum)) sent"
  }
}

/// The progress of a simulation.
struct SimulationProgress: Equatable {
  /// The progress of a replica.
  struct Row: Equatable {
    /// What of its work is done, from 0 to 1.
    var share: Double
    /// The same, in words.
    var done: String
    /// Bytes that it has sent.
    var bytes: Int
    /// The digest of its state, where it is known.
    var digest: String?
    /// Anything that is wrong with it, or was.
    var note = ""
  }

  /// All of it in a line.
  var headline: String
  /// A row for each replica.
  var rows: [Row] = []
  /// Faults until now, in words.
  var faults = ""
}

/// Is told now and then that there is progress, and asks how much if it shows any.
typealias ProgressSink = (() -> SimulationProgress) -> Void

/// The console, shared with what reports progress.
final class Screen {
  var console: Console

  init(isQuiet: Bool) {
    console = Console(isQuiet: isQuiet)
  }

  /// What shows progress; `nil` where nobody would see it.
  var progress: ProgressSink? {
    guard console.hasProgress else { return nil }
    return { progress in
      self.console.progress { columns, rows, style in
        LiveView(columns: columns, rows: rows, styled: style).lines(of: progress())
      }
    }
  }
}
