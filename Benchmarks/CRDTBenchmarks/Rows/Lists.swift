import CRDTKit

/// Lists of registers of texts, beside arrays of texts.
private typealias List = ReplicatedList<MVRegister<String>>

extension Benchmark {
  func addListBenchmarks() throws {
    let count = min(n, 100_000)
    let names = ["append", "move", "read", "values", "encode", "decode", "bytes"]
    guard names.contains(where: { options.wants("list.\($0)") }) else { return }
    let texts = (0..<count).map(Elements.randomText)
    var list = List()
    list.append(contentsOf: texts, by: .author)
    try addListChanges(texts, list)
    try addListReading(texts, list)
    try addListCoding(texts, list)
  }

  private func addListChanges(_ texts: [String], _ list: List) throws {
    try measure(
      Title("list.append", n: texts.count, against: "Array.append"), units: texts.count
    ) {
      let ours = Workload(
        prepare: { List() },
        run: { list in for text in texts { list.append(text, by: .author) } },
        outcome: { $0.count })
      let baseline = Workload(
        prepare: { [String]() }, run: { array in for text in texts { array.append(text) } },
        outcome: { $0.count })
      return (ours, baseline)
    }
    let moves = Elements.shuffled(texts.count).prefix(1_000)
    try measure(
      Title("list.move", n: texts.count, against: "Array.remove and insert"), units: moves.count
    ) {
      let ours = Workload(
        prepare: { list },
        run: { list in for place in moves { list.move(from: place, to: 0, by: .author) } },
        outcome: { $0.values.first?.count ?? 0 })
      let baseline = Workload(
        prepare: { texts },
        run: { array in for place in moves { array.insert(array.remove(at: place), at: 0) } },
        outcome: { $0.first?.count ?? 0 })
      return (ours, baseline)
    }
  }

  private func addListReading(_ texts: [String], _ list: List) throws {
    let places = Elements.shuffled(texts.count)
    try measure(
      Title("list.read", n: texts.count, against: "Array subscript"), units: texts.count
    ) {
      let ours = Workload(
        prepare: { 0 },
        run: { sum in for place in places { sum &+= list[place].value?.utf8.count ?? 0 } },
        outcome: { $0 })
      let baseline = Workload(
        prepare: { 0 }, run: { sum in for place in places { sum &+= texts[place].utf8.count } },
        outcome: { $0 })
      return (ours, baseline)
    }
    try measure(
      Title("list.values", n: texts.count, against: "Array.map"), units: texts.count
    ) {
      let ours = Workload(
        prepare: { [String]() }, run: { $0 = list.values }, outcome: { $0.count })
      let baseline = Workload(
        prepare: { [String]() }, run: { $0 = texts.map { $0 } }, outcome: { $0.count })
      return (ours, baseline)
    }
  }

  private func addListCoding(_ texts: [String], _ list: List) throws {
    let bytes = list.encoded()
    let size = texts.reduce(0) { $0 + $1.utf8.count }
    try measure(
      Title("list.encode", n: texts.count, against: "copying the bytes", scope: .all), units: 1
    ) {
      let ours = Workload(
        prepare: { [UInt8]() }, run: { $0 = list.encoded() }, outcome: { $0 == bytes ? 1 : 0 })
      return (ours, Baseline.copy(of: bytes))
    }
    try measure(
      Title("list.decode", n: texts.count, against: "copying the bytes", scope: .all), units: 1
    ) {
      let ours = Workload(
        prepare: { List() }, run: { $0 = try List(decoding: bytes) },
        outcome: { $0 == list ? 1 : 0 })
      return (ours, Baseline.copy(of: bytes))
    }
    try count(
      Title("list.bytes", n: texts.count, against: "the UTF-8", unit: .bytes)
    ) {
      (Double(bytes.count) / Double(texts.count), Double(size) / Double(texts.count))
    }
  }
}
