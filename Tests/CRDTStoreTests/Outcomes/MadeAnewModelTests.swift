import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Records that a server deletes and gives again under the same name, at random, held against
/// a list of what happened.
@Suite("Records made anew by a server, at random")
struct MadeAnewModelTests {
  @Test(
    "Nothing of a former record comes back, and nothing written to the new one is lost",
    .timeLimit(.minutes(60)))
  func schedules() async throws {
    for seed in seeds(300, long: 20_000) {
      let (setting, steps) = MadeAnewStep.schedule(seed: seed)
      guard let wrong = try await MadeAnewWorld.play(steps, setting) else { continue }
      let (fewer, failure) = try await shrink(steps, setting, wrong)
      let list = fewer.map { "  \($0)" }.joined(separator: "\n")
      Issue.record("seed \(seed), \(setting): \(failure)\n\(list)")
      return
    }
  }

  @Test("What once went wrong with records made anew", arguments: MadeAnewStep.found.indices)
  func found(number: Int) async throws {
    let (setting, steps) = MadeAnewStep.found[number]
    let wrong = try await MadeAnewWorld.play(steps, setting)
    #expect(wrong == nil)
  }

  /// As few of the steps as still go wrong, and how they do.
  private func shrink(
    _ steps: [MadeAnewStep], _ setting: MadeAnewSetting, _ wrong: String
  ) async throws -> ([MadeAnewStep], String) {
    var (steps, wrong) = (steps, wrong)
    var place = steps.count
    while place > 0 {
      place -= 1
      var fewer = steps
      fewer.remove(at: place)
      guard let failure = try await MadeAnewWorld.play(fewer, setting) else { continue }
      // What is before may not be needed any more either.
      (steps, wrong, place) = (fewer, failure, fewer.count)
    }
    return (steps, wrong)
  }
}

/// What a schedule keeps to.
struct MadeAnewSetting: Sendable {
  let apps: Int
  /// Whether the apps also exchange what they know with one another.
  let hasPeers: Bool
  let times: ReferenceServer.Times
  let deletion: Schema.DeletionRule
  /// How far the server's clock is ahead, in milliseconds.
  let skew: Int
}

/// Something that happens to the record.
struct MadeAnewStep: Sendable {
  enum Kind: CaseIterable, Sendable {
    case write, delete, restore, create, exchange, reopen, pull, push
    case editThere, deleteThere, giveAnew
  }

  var kind: Kind
  var app = 0
  var other = 0
  /// The fields that are written.
  var names = Self.allNames
  var value = "first"
  /// Whether a record given anew has the former one's values.
  var keepsValues = false

  static let allNames = ["a", "b", "c"]

  static func schedule(seed: UInt64) -> (MadeAnewSetting, [MadeAnewStep]) {
    var random = SeededGenerator(seed: seed)
    let rules: [Schema.DeletionRule] = [.updateWins, .deleteWins, .lastWriterWins]
    let setting = MadeAnewSetting(
      apps: Int.random(in: 2...3, using: &random),
      hasPeers: Int.random(in: 0..<3, using: &random) > 0,
      times: ReferenceServer.Times.allCases[Int(seed % 3)],
      deletion: rules[max(0, Int.random(in: -1...2, using: &random))],
      skew: [0, 0, -25, 25][Int.random(in: 0..<4, using: &random)])
    let often: [Kind] = [.write, .write, .write, .pull, .pull, .push, .exchange]
    let kinds = often + Kind.allCases + [.deleteThere, .giveAnew, .giveAnew]
    let steps = (0..<Int.random(in: 6...25, using: &random)).map { number in
      let app = Int.random(in: 0..<setting.apps, using: &random)
      let names = allNames.filter { _ in Bool.random(using: &random) }
      let kind = kinds[Int.random(in: kinds.indices, using: &random)]
      return MadeAnewStep(
        kind: kind == .exchange && !setting.hasPeers ? .write : kind, app: app,
        other: (app + Int.random(in: 1..<setting.apps, using: &random)) % setting.apps,
        names: names.isEmpty ? ["a"] : names,
        value: Int.random(in: 0..<4, using: &random) == 0 ? "same" : "\(number)",
        keepsValues: Int.random(in: 0..<3, using: &random) == 0)
    }
    return (setting, steps)
  }

  /// Schedules that have gone wrong.
  static let found: [(setting: MadeAnewSetting, steps: [MadeAnewStep])] = [
    (
      // What waits to be restored, and may have been sent, hides equal values of another record.
      MadeAnewSetting(
        apps: 2, hasPeers: false, times: .ofFields, deletion: .lastWriterWins, skew: 0),
      [
        MadeAnewStep(kind: .delete, app: 1), MadeAnewStep(kind: .deleteThere),
        MadeAnewStep(kind: .write, value: "same"), MadeAnewStep(kind: .restore, app: 1),
        MadeAnewStep(kind: .pull, app: 1), MadeAnewStep(kind: .reopen, app: 1),
      ]
    ),
    (
      // What `c` was before it was written and its record replaced counts as still there.
      MadeAnewSetting(
        apps: 2, hasPeers: false, times: .ofRecords, deletion: .deleteWins, skew: 25),
      [
        MadeAnewStep(kind: .write, names: ["a", "b"], value: "5"),
        MadeAnewStep(kind: .write, app: 1, value: "14"), MadeAnewStep(kind: .delete, app: 1),
        MadeAnewStep(kind: .create, app: 1, names: ["b"], value: "18"),
      ]
    ),
    (
      // What a server without times confirms counts as written now, and wins over later writes.
      MadeAnewSetting(apps: 3, hasPeers: true, times: .none, deletion: .updateWins, skew: -25),
      [
        MadeAnewStep(kind: .exchange, app: 2, other: 0),
        MadeAnewStep(kind: .write, app: 1, names: ["a", "b"], value: "3"),
        MadeAnewStep(kind: .delete), MadeAnewStep(kind: .delete, app: 1),
        MadeAnewStep(kind: .create, app: 1, names: ["a"], value: "10"),
        MadeAnewStep(kind: .write, app: 2, names: ["a", "b"], value: "20"),
      ]
    ),
    (
      // What was lost, and a restored record has, is kept although the server wrote later.
      MadeAnewSetting(apps: 3, hasPeers: true, times: .none, deletion: .deleteWins, skew: 0),
      [
        MadeAnewStep(kind: .deleteThere),
        MadeAnewStep(kind: .write, names: ["a", "c"], value: "same"),
        MadeAnewStep(kind: .write, app: 1, names: ["a"], value: "8"),
        MadeAnewStep(kind: .push, app: 1), MadeAnewStep(kind: .restore, app: 1),
        MadeAnewStep(kind: .giveAnew, value: "same"),
      ]
    ),
  ]

  /// What makes a record that all know.
  static func beginning(_ setting: MadeAnewSetting) -> [MadeAnewStep] {
    [MadeAnewStep(kind: .create), MadeAnewStep(kind: .push)]
      + (0..<setting.apps).map { MadeAnewStep(kind: .pull, app: $0) }
  }

  /// What lets all apps and the server hear all.
  static func healing(_ setting: MadeAnewSetting) -> [MadeAnewStep] {
    (0..<3 * setting.apps).flatMap { number in
      let app = number % setting.apps
      let peers = setting.hasPeers ? (0..<setting.apps).filter { $0 != app } : []
      return [.pull, .push, .pull].map { MadeAnewStep(kind: $0, app: app) }
        + peers.map { MadeAnewStep(kind: .exchange, app: app, other: $0) }
    }
  }
}

extension MadeAnewStep: CustomStringConvertible {
  var description: String {
    switch kind {
    case .write, .create: "\(app): \(kind) \(names) '\(value)'"
    case .exchange: "\(app): \(kind) with \(other)"
    case .editThere: "\(kind) \(names) '\(value)'"
    case .giveAnew: "\(kind) \(names) " + (keepsValues ? "as they were" : "'\(value)'")
    case .deleteThere: "\(kind)"
    case .delete, .restore, .reopen, .pull, .push: "\(app): \(kind)"
    }
  }
}
