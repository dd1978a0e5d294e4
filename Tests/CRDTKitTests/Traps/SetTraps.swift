import CRDTKit
import CRDTTestSupport
import Testing

/// The classic traps of replicated sets, each by its name.
@Suite("Traps: sets")
struct SetTraps {
  /// Two names in both orders, since nothing may hang on which is less.
  let pairs = [(ReplicaID(1), ReplicaID(2)), (ReplicaID(2), ReplicaID(1))]
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  @Test("concurrent add and remove: the add wins, whatever the replicas' names")
  func concurrentAddRemove() {
    for (adder, remover) in pairs {
      var here: ORSet = ORSet<String>()
      here.insert("milk", by: adder)
      var there = here
      here.insert("milk", by: adder)
      there.remove("milk", by: remover)
      #expect(Array(here.merging(there)) == ["milk"])
      #expect(Array(there.merging(here)) == ["milk"])
    }
  }

  @Test("a removal of what the other did not touch holds on both")
  func plainRemove() {
    for (adder, remover) in pairs {
      var here = ORSet<String>()
      here.insert("milk", by: adder)
      var there = here
      there.remove("milk", by: remover)
      #expect(here.merging(there).isEmpty)
      #expect(there.merging(here).isEmpty)
    }
  }

  @Test("remove before its add arrives: a gap, then both")
  func removeBeforeAdd() throws {
    var source = ORSet<String>()
    let add = source.edit(by: phone) { $0.insert("milk") }
    var remover = source
    let removal = remover.edit(by: laptop) { $0.remove("milk") }
    var late = ORSet<String>()
    #expect(throws: DeltaError.gap(missing: [phone: 1])) { try late.apply(removal) }
    #expect(throws: DeltaError.gap(missing: [phone: 1])) {
      try late.apply(decoding: removal.encoded())
    }
    #expect(late == ORSet())
    try late.apply(add)
    try late.apply(removal)
    #expect(late.isEmpty)
    #expect(late == remover)
    // By whole states: the removal first, then a state from before it.
    var whole = ORSet<String>()
    whole.merge(remover)
    whole.merge(source)
    #expect(whole.isEmpty)
    #expect(whole.encoded() == remover.encoded())
  }

  @Test("re-add after remove, for ever, without leaving anything behind")
  func readd() {
    var set = ORSet<String>()
    for _ in 0..<3_000 {
      let wasAbsent = set.insert("milk", by: phone)
      #expect(wasAbsent)
      let wasPresent = set.remove("milk", by: laptop)
      #expect(wasPresent)
    }
    set.insert("milk", by: phone)
    #expect(Array(set) == ["milk"])
    #expect(set.encoded().count - markBytes(of: set.version) < 64)
    // At most 128 marks of a replica, and 64 for each doubling after.
    #expect(markBytes(of: set.version) < 2 * 4 * (128 + 64 * 5))
    #expect(set.version == [phone: 3_001, laptop: 3_000])
  }

  @Test("a removal that saw nothing is no event, and removes nothing elsewhere")
  func removeOfNothing() {
    var here = ORSet<String>()
    var there = here
    here.insert("milk", by: phone)
    let wasPresent = there.remove("milk", by: laptop)
    #expect(!wasPresent)
    there.removeAll(by: laptop)
    let delta = there.edit(by: laptop) { $0.remove("milk") }
    #expect(delta.isEmpty)
    #expect(there.version == [:])
    #expect(Array(here.merging(there)) == ["milk"])
  }

  @Test("an element renewed survives a removal that had seen only the older insertion")
  func renewal() {
    var here = ORSet<String>()
    here.insert("milk", by: phone)
    let old = here
    here.insert("milk", by: phone)
    var there = old
    there.remove("milk", by: laptop)
    #expect(there.merging(here).contains("milk"))
  }

  @Test("a merge that adopts the other side's replica id: writers keep their names")
  func names() {
    var here = ORSet<String>()
    here.insert("a", by: phone)
    var there = ORSet<String>()
    there.insert("b", by: laptop)
    here.merge(there)
    here.insert("c", by: phone)
    #expect(here.version == [phone: 2, laptop: 1])
    there.merge(here)
    there.insert("d", by: laptop)
    #expect(there.version == [phone: 2, laptop: 2])
  }

  @Test("a deleted value that stays in the encoding: none does")
  func leftovers() throws {
    let secret = "correct horse battery staple"
    var set = ORSet<String>()
    set.insert(secret, by: phone)
    set.insert("milk", by: phone)
    let old = set
    set.remove(secret, by: laptop)
    for bytes in [
      set.encoded(), set.delta(since: old.version).encoded(), set.delta(since: [:]).encoded(),
    ] {
      #expect(!contains(bytes, Array(secret.utf8)))
    }
    var register = MVRegister<String>()
    register.set(secret, by: phone)
    register.set("none", by: phone)
    #expect(!contains(register.encoded(), Array(secret.utf8)))
    var map = MergeMap<String, MVRegister<String>>()
    map.update("k", by: phone) { $0.set(secret) }
    map.removeValue(forKey: "k", by: phone)
    #expect(!contains(map.encoded(), Array(secret.utf8)))
    #expect(contains(old.encoded(), Array(secret.utf8)), "the search itself must find it")
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains(where: { bytes[$0...].starts(with: part) })
  }

  @Test("growing sets: concurrent insertions of one element are one element")
  func growing() {
    for (one, other) in pairs {
      var here = GSet<Int>()
      here.insert(1, by: one)
      var there = GSet<Int>()
      there.insert(1, by: other)
      there.insert(2, by: other)
      let both = here.merging(there)
      #expect(Set(both) == [1, 2])
      #expect(both.count == 2)
      #expect(both == there.merging(here))
    }
  }

  @Test("flags: enable wins and disable wins, whatever the replicas' names")
  func flags() {
    for (one, other) in pairs {
      var enabling = EWFlag()
      enabling.enable(by: one)
      var disabling = enabling
      enabling.enable(by: one)
      disabling.disable(by: other)
      #expect(enabling.merging(disabling).isEnabled)
      #expect(!disabling.isEnabled)
      var on = DWFlag()
      on.enable(by: one)
      var off = on
      on.enable(by: one)
      off.disable(by: other)
      #expect(!on.merging(off).isEnabled)
      var after = on.merging(off)
      after.enable(by: one)
      #expect(after.isEnabled)
      #expect(off.merging(after).isEnabled)
    }
  }
}
