public import CRDTKit

/// The first law of merging that some states break, in words; `nil` if they keep
/// them all.
///
/// Whole states and their bytes are compared, for every triple: merging is
/// commutative, associative and idempotent, a delta does what the whole state
/// would, and says rightly whether there was anything new in it.
public func mergeLawViolation<State>(among states: [State]) -> String?
where State: DeltaMergeable & BinaryCodable & Hashable, State.Delta: BinaryCodable {
  for a in states {
    if a.merging(a) != a { return "merging \(a) with itself changes it" }
    if let violation = codingViolation(of: a) { return violation }
    for b in states {
      if let violation = pairViolation(a, b) { return violation }
      for c in states where a.merging(b).merging(c) != a.merging(b.merging(c)) {
        return "merging \(a), \(b) and \(c) depends on the grouping"
      }
    }
  }
  return nil
}

private func pairViolation<State>(_ a: State, _ b: State) -> String?
where State: DeltaMergeable & BinaryCodable & Hashable, State.Delta: BinaryCodable {
  let both = a.merging(b)
  if both != b.merging(a) { return "merging \(a) and \(b) depends on the order" }
  if both.encoded() != b.merging(a).encoded() { return "\(a) and \(b) merge to other bytes" }
  if both.hashValue != b.merging(a).hashValue { return "\(a) and \(b) merge to other hashes" }
  if (a == b) != (a.encoded() == b.encoded()) { return "\(a) == \(b) but their bytes say no" }
  if (a == b) != (a.digest == b.digest) { return "\(a) == \(b) but their digests say no" }
  do {
    var joined = a
    let delta = b.delta(since: a.version)
    if try joined.apply(delta) != (both != a) { return "the delta of \(b) to \(a) misreports" }
    if joined != both { return "the delta of \(b) to \(a) does not do what the state does" }
    if try joined.apply(delta) { return "the delta of \(b) to \(a) is new twice" }
    var decoded = a
    try decoded.apply(decoding: delta.encoded())
    if decoded != both { return "the encoded delta of \(b) to \(a) does something else" }
    var merged = a
    if try merged.merge(decoding: b.encoded()) != (both != a) || merged != both {
      return "the encoded \(b) does not do to \(a) what \(b) does"
    }
  } catch {
    return "a delta of \(b) to \(a) was refused: \(error)"
  }
  return nil
}

private func codingViolation<State>(of state: State) -> String?
where State: BinaryCodable & Hashable {
  do {
    let decoded = try State(decoding: state.encoded())
    return decoded == state && decoded.encoded() == state.encoded()
      ? nil : "\(state) is another when decoded"
  } catch {
    return "\(state) can't be decoded: \(error)"
  }
}
