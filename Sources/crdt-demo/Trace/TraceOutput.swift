/// Where a run's events go: a file of them, a page that shows them, both or neither.
struct TraceOutput {
  private let writer: TraceWriter?
  private let collector: TraceCollector?
  private let report: String?

  /// Opens the trace's file; the page is written in the end.
  init(trace: String?, report: String?) throws(Trouble) {
    writer = if let trace { try TraceWriter(path: trace) } else { nil }
    collector = report == nil ? nil : TraceCollector()
    self.report = report
  }

  /// What takes the events; `nil` if nobody wants them.
  var sink: TraceSink? {
    let (writer, collector) = (writer, collector)
    guard writer != nil || collector != nil else { return nil }
    return { event in
      writer?.write(event)
      collector?.add(event)
    }
  }

  /// Writes what is left, and the page, with the bytes of other runs beside this one's.
  ///
  /// - Throws: ``Trouble`` where a file can't be written.
  func finish(series: [ByteSeries] = []) throws(Trouble) {
    try writer?.finish()
    guard let report, let collector else { return }
    let run = TraceRun(collector.events, omitted: collector.omitted)
    let page = ReportPage(run: run, series: series)
    try FileWriter.writeText(page.html, to: report)
  }
}
