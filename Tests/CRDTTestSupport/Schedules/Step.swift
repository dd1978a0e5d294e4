/// One step of a schedule.
///
/// Numbers of replicas, versions and messages are taken modulo how many there are, so
/// that a step has a meaning wherever it stands.
package enum Step: Hashable, Sendable {
  /// One operation without an edit block.
  case change(Int, Operation)
  /// An edit block, whose delta is sent.
  case edit(Int, [Operation])
  /// Send a delta since a version that some replica once had.
  case send(Int, since: Int)
  /// Send a delta since what another replica now has.
  case answer(Int, to: Int)
  /// Take in a message that was sent: as a value or as bytes. Messages stay, so
  /// they come late, repeatedly, in any order, or never.
  case deliver(Int, message: Int, asBytes: Bool)
  /// Take in another replica's whole state: as a value or as bytes.
  case merge(Int, from: Int, asBytes: Bool)
  /// Encode, and go on with what the bytes decode to.
  case recode(Int)
  /// Forget what older events of one replica killed, all of them or half.
  case cutLog(Int, column: Int, whole: Bool)
  /// Keep a copy, which must not change any more.
  case copy(Int)
  /// Become a copy of another replica's value (its name stays).
  case clone(Int, from: Int)
}
