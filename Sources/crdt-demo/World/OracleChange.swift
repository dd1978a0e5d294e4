/// What an edit did to one key, as the ``Oracle`` is told.
struct OracleChange: Equatable, Sendable {
  enum Kind: Sendable {
    /// Puts a payload in the place of all that was seen.
    case write
    /// Takes away all that was seen.
    case remove
    /// Adds to a count.
    case add
  }

  var key: Int
  var kind: Kind
  var payload: Int64 = 0
}
