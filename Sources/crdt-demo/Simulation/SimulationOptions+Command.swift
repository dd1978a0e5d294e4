extension SimulationOptions {
  /// How to see the same again, or something like it.
  var hint: String {
    let place = storeFolder == nil ? "" : ", with a new folder"
    return "Seed \(seed). To see it again\(place):\n  \(command)\n"
  }

  /// The command that does the same again.
  var command: String {
    var words = ["crdt-demo simulate --replicas \(replicas) --ops \(operations) --seed \(seed)"]
    words.append("--topology \(topology) --loss \(faults.loss)")
    words.append("--duplicate \(faults.duplicate) --reorder \(faults.reorder)")
    words.append("--corrupt \(faults.corrupt) --cut \(faults.cut)")
    words.append("--timeout \(timeoutSeconds)")
    if let storeFolder { words.append("--store \(Self.quoted(storeFolder))") }
    if let crash { words.append("--crash \(crash)") }
    words += wordsOfScenarios
    if let pause { words.append("--pause \(pause)") }
    for partition in partitions { words.append("--partition \(partition)") }
    for join in joins { words.append("--join \(join)") }
    for leave in leaves { words.append("--leave \(leave)") }
    if isFreeRunning { words.append("--free-running") }
    if let sabotage { words.append("--sabotage \(sabotage)") }
    return words.joined(separator: " ")
  }

  /// Options that a world has, too, where they aren't as they are by default.
  private var wordsOfScenarios: [String] {
    let plain = Self()
    var words: [String] = []
    func add<Value: Equatable>(
      _ name: String, _ path: KeyPath<Self, Value>, _ text: (Value) -> String
    ) {
      let value = self[keyPath: path]
      if value != plain[keyPath: path] { words.append("--\(name) \(text(value))") }
    }
    let milliseconds = { (microseconds: Int) in OptionValue.short(Double(microseconds) / 1_000) }
    add("workload", \.workload, \.rawValue)
    add("keys", \.keys) { "\($0)" }
    add("history", \.history) { Self.quoted($0 ?? "") }
    add("rate", \.rate) { OptionValue.short($0 ?? 0) }
    add("interval", \.interval, OptionValue.short)
    add("delay", \.links.delay, milliseconds)
    add("jitter", \.links.jitter, milliseconds)
    add("bandwidth", \.links.bandwidth) { "\($0)" }
    add("skew", \.clocks.skew) { "\($0)" }
    add("drift", \.clocks.drift) { "\($0)" }
    add("jumps", \.clocks.jumps) { "\($0)" }
    add("jump", \.clocks.jump) { "\($0)" }
    return words.isEmpty ? [] : ["--engine processes"] + words
  }

  /// A word as a shell understands it.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "-")...UInt8(ascii: "9") ~= byte
        || [UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: ",")].contains(byte)
    }
    return isPlain
      ? word
      : "'"
        + word.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
