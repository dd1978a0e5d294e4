import CRDTKit

extension Benchmark {
  func addDocumentModelBenchmarks() throws {
    try measure(
      Title(
        "document.model.write", n: 1, against: "Dictionary.updateValue", bar: .value(15_000),
        scope: .all), units: 1
    ) { try writeModel() }
    try measure(
      Title("document.model.read", n: 1, against: "Dictionary.updateValue", scope: .all), units: 1
    ) { try readModel() }
    try measure(
      Title("document.model.write.list", n: 1, against: "Codable", scope: .all), units: 1
    ) { (ours: try writeListedModel(), baseline: try writeModel().ours) }
    try measure(
      Title("document.model.read.list", n: 1, against: "Codable", scope: .all), units: 1
    ) { (ours: try readListedModel(), baseline: try readModel().ours) }
    try measure(
      Title(
        "document.model.sorted", n: 10_000, against: "sorting them", bar: .value(30_000_000),
        scope: .all), units: 1
    ) { try sortModels() }
    try count(
      Title(
        "document.model.delta", n: 1, against: "the value", unit: .bytes, scope: .all)
    ) { try modelDelta() }
    for isFramed in [false, true] {
      try count(
        Title(
          "session.edit\(isFramed ? ".frames" : "")", n: 1, against: "the value",
          bar: isFramed ? nil : .difference(64), unit: .bytes, scope: .all)
      ) { try sessionEdit(isFramed: isFramed) }
    }
  }

  /// A document with a thousand profiles, or another number.
  private func profiles(
    _ count: Int = 1_000, _ profile: (Int) -> Profile = { _ in Profile() }
  ) throws -> Document {
    var document = Document()
    for number in 0..<count {
      try document.write(
        profile(number), to: "p\(number)", in: "profiles", at: .of(.author, round: number))
    }
    return document
  }

  /// Writes a model of which one field differs, and makes the delta, in a document
  /// with a thousand records.
  private func writeModel() throws -> (ours: Workload, baseline: Workload) {
    let document = try profiles()
    let repetitions = 1_000
    let ours = Workload(
      repetitions: repetitions,
      prepare: { document },
      run: { document in
        var profile = Profile()
        for number in 0..<repetitions {
          profile.note = number + 1
          try document.write(
            profile, to: "p\(number)", in: "profiles", at: .of(.author, round: 2_000 + number))
        }
      }
    )
    return (ours, updates(repetitions))
  }

  private func readModel() throws -> (ours: Workload, baseline: Workload) {
    let document = try profiles()
    let repetitions = 1_000
    let ours = Workload(
      repetitions: repetitions,
      prepare: { document },
      run: { document in
        for number in 0..<repetitions {
          blackHole(try document.read(Profile.self, "p\(number)", in: "profiles"))
        }
      }
    )
    return (ours, updates(repetitions))
  }

  /// Reads all of ten thousand records as models, sorted by a field.
  private func sortModels() throws -> (ours: Workload, baseline: Workload) {
    let document = try profiles(10_000, Profile.init(noted:))
    let ours = Workload(
      prepare: { document },
      run: { document in
        let models = try document.records(in: "profiles").compactMap {
          try document.read(Profile.self, $0, in: "profiles")
        }
        blackHole(models.sorted { $0.note < $1.note })
      }
    )
    let models = (0..<10_000).map(Profile.init(noted:))
    let baseline = Workload(
      prepare: { models }, run: { blackHole($0.sorted { $0.note < $1.note }) })
    return (ours, baseline)
  }

  private func writeListedModel() throws -> Workload {
    let document = try profiles()
    let repetitions = 1_000
    return Workload(
      repetitions: repetitions,
      prepare: { document },
      run: { document in
        var model = ListedProfile()
        for number in 0..<repetitions {
          model.profile.note = number + 1
          try document.write(
            model, to: "p\(number)", in: "profiles", at: .of(.author, round: 2_000 + number))
        }
      }
    )
  }

  private func readListedModel() throws -> Workload {
    let document = try profiles()
    let repetitions = 1_000
    return Workload(
      repetitions: repetitions,
      prepare: { document },
      run: { document in
        for number in 0..<repetitions {
          blackHole(try document.read(ListedProfile.self, "p\(number)", in: "profiles"))
        }
      }
    )
  }

  private func updates(_ repetitions: Int) -> Workload {
    Workload(
      repetitions: repetitions,
      prepare: { [String: Profile]() },
      run: { profiles in
        for number in 0..<repetitions { profiles["p\(number)"] = Profile() }
      }
    )
  }

  /// The delta of one changed field of a model, by itself.
  private func modelDelta() throws -> (ours: Double, baseline: Double) {
    var document = try profiles()
    var profile = Profile()
    profile.bio = "Writes about rivers."
    let delta = try document.write(
      profile, to: "p500", in: "profiles", at: .of(.author, round: 5_000))
    return (Double(delta.encoded().count), Double(profile.bio.utf8.count))
  }

  /// The delta that goes over the wire for one changed field of a model, where the
  /// peer has heard of the record before; or all that goes over the wire for it.
  private func sessionEdit(isFramed: Bool) throws -> (ours: Double, baseline: Double) {
    var document = try profiles()
    var pair = SessionPair(document, document)
    var profile = Profile()
    for text in ["Writes.", "Writes about rivers."] {
      pair.bytes = (0, 0)
      pair.deltaBytes = 0
      profile.bio = text
      try document.write(profile, to: "p500", in: "profiles", at: .of(.left, round: 5_000))
      pair.left = document
      try pair.exchange()
    }
    let sent = isFramed ? pair.bytes.left : pair.deltaBytes
    return (Double(sent), Double(profile.bio.utf8.count))
  }
}
