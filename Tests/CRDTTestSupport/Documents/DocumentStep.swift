/// One step of a schedule of documents; numbers are taken modulo how many there
/// are, as in ``Step``.
package enum DocumentStep: Hashable, Sendable {
  /// An edit, whose delta is sent.
  case edit(Int, [DocumentOperation])
  /// Send a delta since a version that some replica once had.
  case send(Int, since: Int)
  /// Send a delta since what another replica now has.
  case answer(Int, to: Int)
  /// Take in a message that was sent: messages come late, repeatedly or never.
  case deliver(Int, message: Int, asBytes: Bool)
  /// Take in another replica's whole state.
  case merge(Int, from: Int, asBytes: Bool)
  /// Encode, and go on with what the bytes decode to.
  case recode(Int)
  /// Forget what older events of one replica killed.
  case cutLog(Int, column: Int)
  /// Keep a copy, which must not change any more.
  case copy(Int)
}
