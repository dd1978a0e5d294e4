/// Who wins where a record is deleted and changed concurrently.
///
/// A change that the deletion had seen never brings the record back, nor does one
/// that only removes something. A deleted record can be restored until it is
/// purged.
public enum DeletionRule: String, Hashable, Sendable, Codable {
  /// A change that the deletion had not seen keeps the record.
  case updateWins
  /// The record is deleted.
  case deleteWins
  /// The later of the two by its stamp decides.
  case lastWriterWins
}
