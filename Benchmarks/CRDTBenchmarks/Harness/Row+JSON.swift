extension Row {
  /// The row as one JSON object on one line.
  var json: String {
    let time = title.unit == .nanoseconds
    var fields: [(String, String)] = [
      ("name", title.name.quoted), ("n", "\(title.n)"),
      ("unit", title.unit.rawValue.quoted), ("scope", title.scope.rawValue.quoted),
      ("median_ns", time ? ours.median.json : "null"),
      ("baseline", title.baseline.quoted),
      ("baseline_ns", time ? baseline.median.json : "null"),
      ("ratio", ratio.json),
      ("value", ours.median.json), ("p10", ours.p10.json), ("p90", ours.p90.json),
      ("baseline_value", baseline.median.json),
      ("baseline_p10", baseline.p10.json), ("baseline_p90", baseline.p90.json),
      ("difference", (ours.median - baseline.median).json),
      ("elements_per_second", elementsPerSecond?.json ?? "null"),
      ("runs", "\(ours.count)"),
    ]
    fields += barFields
    fields.append(("build", Build.name.quoted))
    return "{" + fields.map { "\($0.0.quoted):\($0.1)" }.joined(separator: ",") + "}"
  }

  private var barFields: [(String, String)] {
    [
      ("bar_on", title.bar?.subject.quoted ?? "null"),
      ("bar", title.bar?.limit.json ?? "null"),
      ("measured", measured?.json ?? "null"),
      ("met", isMet.map { "\($0)" } ?? "null"),
    ]
  }
}

extension Double {
  fileprivate var json: String { isFinite ? description : "null" }
}

extension String {
  /// The text in quotes: names and labels here hold nothing to escape but these.
  fileprivate var quoted: String {
    let escaped = flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
    return "\"" + String(escaped) + "\""
  }
}
