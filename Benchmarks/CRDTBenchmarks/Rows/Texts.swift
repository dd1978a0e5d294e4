import CRDTKit

extension Benchmark {
  func addTextBenchmarks() throws {
    let names = [
      "edit", "keystroke", "keystroke.bytes", "delta.apply", "encode", "encode.loaded", "decode",
      "decode+read", "bytes", "memory.edited", "memory.loaded", "memory.read",
    ]
    guard names.contains(where: { options.wants("text.\($0)") }) else { return }
    let job = try TypingJob(n / 10)
    try addTextEdits(job)
    let text = job.text(by: .author)
    try addTextCoding(text)
    try addTextSizes(text, job)
  }

  private func addTextEdits(_ job: TypingJob) throws {
    let count = job.patches.count
    try measure(
      Title("text.edit", n: count, against: "[Unicode.Scalar].replaceSubrange"), units: count
    ) {
      let ours = Workload(
        prepare: { ReplicatedText() }, run: { job.type(into: &$0, by: .author) },
        outcome: { $0.count(in: .unicodeScalars) })
      return (ours, scalars(job))
    }
    try measure(
      Title("text.keystroke", n: count, against: "[Unicode.Scalar].replaceSubrange"), units: count
    ) {
      let ours = Workload(
        prepare: { ReplicatedText() }, run: { _ = job.deltas(of: &$0, by: .author) },
        outcome: { $0.count(in: .unicodeScalars) })
      return (ours, scalars(job))
    }
    try measure(
      Title("text.delta.apply", n: count, against: "[Unicode.Scalar].replaceSubrange"),
      units: count
    ) {
      var typed = ReplicatedText()
      let deltas = job.deltas(of: &typed, by: .author)
      let ours = Workload(
        prepare: { ReplicatedText() },
        run: { text in for delta in deltas { try text.apply(decoding: delta) } },
        outcome: { $0.count(in: .unicodeScalars) })
      return (ours, scalars(job))
    }
  }

  private func scalars(_ job: TypingJob) -> Workload {
    Workload(prepare: { [] }, run: { job.type(into: &$0) }, outcome: { $0.count })
  }

  private func addTextCoding(_ text: ReplicatedText) throws {
    let bytes = text.encoded()
    try measure(
      Title(
        "text.encode", n: text.count(in: .unicodeScalars), against: "copying the bytes",
        scope: .all),
      units: 1
    ) {
      let ours = Workload(
        prepare: { [UInt8]() }, run: { $0 = text.encoded() }, outcome: { $0 == bytes ? 1 : 0 })
      return (ours, Baseline.copy(of: bytes))
    }
    try measure(
      Title(
        "text.encode.loaded", n: text.count(in: .unicodeScalars), against: "copying the bytes",
        scope: .all),
      units: 1
    ) {
      let ours = Workload(
        prepare: { (try ReplicatedText(decoding: bytes), [UInt8]()) },
        run: { $0.1 = $0.0.encoded() }, outcome: { $0.1 == bytes ? 1 : 0 })
      return (ours, Baseline.copy(of: bytes))
    }
    for reads in [false, true] {
      try measure(
        Title(
          reads ? "text.decode+read" : "text.decode", n: text.count(in: .unicodeScalars),
          against: "copying the bytes", scope: .all), units: 1
      ) {
        let ours = Workload(
          prepare: { ReplicatedText() },
          run: {
            $0 = try ReplicatedText(decoding: bytes)
            if reads { blackHole(String($0)) }
          },
          outcome: { $0 == text ? 1 : 0 })
        return (ours, Baseline.copy(of: bytes))
      }
    }
  }

  private func addTextSizes(_ text: ReplicatedText, _ job: TypingJob) throws {
    let characters = text.count(in: .unicodeScalars)
    let bytes = text.encoded()
    try count(
      Title("text.bytes", n: characters, against: "the UTF-8", unit: .bytes, scope: .all)
    ) { (Double(bytes.count), Double(text.count(in: .utf8))) }
    try count(
      Title("text.keystroke.bytes", n: job.patches.count, against: "the letter", unit: .bytes)
    ) {
      var typed = ReplicatedText()
      let deltas = job.deltas(of: &typed, by: .author)
      return (Double(deltas.reduce(0) { $0 + $1.count }) / Double(deltas.count), 1)
    }
    let states: [(name: String, make: () throws -> ReplicatedText)] = [
      ("text.memory.edited", { job.text(by: .author) }),
      ("text.memory.loaded", { try ReplicatedText(decoding: bytes) }),
      (
        "text.memory.read",
        {
          let loaded = try ReplicatedText(decoding: bytes)
          blackHole(loaded.count(in: .utf16))
          return loaded
        }
      ),
    ]
    for (name, make) in states where options.wants(name) {
      guard let ours = try Memory.bytes(keptBy: make) else { continue }
      try count(Title(name, n: characters, against: "the UTF-8", unit: .bytes)) {
        (Double(ours) / Double(characters), Double(text.count(in: .utf8)) / Double(characters))
      }
    }
  }
}
