import CRDTStore
import Testing

@Suite("What triggers a sync")
struct SyncPolicyTests {
  private let policy: SyncPolicy = {
    var policy = SyncPolicy()
    policy.essentialCollections = ["notes"]
    return policy
  }()

  private let triggers: [SyncPolicy.Trigger] = [
    .mutation, .launch, .foreground(sinceLast: nil), .foreground(sinceLast: .seconds(10)),
    .foreground(sinceLast: .seconds(301)), .networkRestored, .timer, .push(collection: "notes"),
    .push(collection: "images"), .push(collection: nil), .user,
  ]

  @Test("Nothing is synced where nothing can be")
  func nothing() {
    for trigger in triggers {
      #expect(policy.plan(for: trigger, .nothing) == .nothing, "\(trigger)")
      #expect(policy.plan(for: trigger, SyncPolicy.Profile(.captive)).isEmpty)
    }
  }

  @Test("Each trigger has its plan")
  func plans() {
    let everything = SyncPolicy.Plan(sends: true, fetches: .everything)
    let sending = SyncPolicy.Plan(sends: true, fetches: .nothing)
    let expected: [SyncPolicy.Plan] = [
      SyncPolicy.Plan(sends: true, fetches: .nothing, delay: .milliseconds(500)), everything,
      everything,
      sending, everything, everything, everything,
      SyncPolicy.Plan(sends: false, fetches: .collections(["notes"])),
      SyncPolicy.Plan(sends: false, fetches: .collections(["images"])), everything, everything,
    ]
    for (trigger, plan) in zip(triggers, expected) {
      #expect(policy.plan(for: trigger, .normal) == plan, "\(trigger)")
    }
    #expect(policy.plan(for: .foreground(sinceLast: .seconds(300)), .normal) == sending)
  }

  @Test("Little is fetched where little can be, but for one who asks")
  func essential() {
    #expect(policy.plan(for: .timer, .essential).fetches == .collections(["notes"]))
    #expect(policy.plan(for: .push(collection: "images"), .essential).isEmpty)
    #expect(policy.plan(for: .user, .essential).fetches == .everything)
    #expect(SyncPolicy().plan(for: .timer, .essential).fetches == .everything)
    #expect(policy.plan(for: .launch, .prefetching).prefetches)
  }

  @Test("The profile follows from the way out")
  func profiles() {
    #expect(SyncPolicy.Profile(.online) == .prefetching)
    #expect(SyncPolicy.Profile(.online, isConstrained: true) == .normal)
    #expect(SyncPolicy.Profile(.metered) == .normal)
    #expect(SyncPolicy.Profile(.metered, isConstrained: true) == .essential)
    #expect(SyncPolicy.Profile(.offline, isConstrained: true) == .nothing)
  }

  @Test("Plans join: in any order, any number of times, with nothing left out")
  func joining() {
    let plans = triggers.map { policy.plan(for: $0, .normal) } + [.nothing]
    for first in plans {
      #expect(first.union(first) == first)
      #expect(first.union(.nothing) == first)
      for second in plans {
        #expect(first.union(second) == second.union(first))
        for third in plans {
          #expect(first.union(second).union(third) == first.union(second.union(third)))
        }
      }
    }
    let both = policy.plan(for: .mutation, .normal).union(
      policy.plan(for: .push(collection: "notes"), .normal))
    #expect(both == SyncPolicy.Plan(sends: true, fetches: .collections(["notes"])))
  }
}
