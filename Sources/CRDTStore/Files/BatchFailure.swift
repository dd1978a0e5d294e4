import CRDTKit

/// Why a batch was not wholly taken in.
enum BatchFailure: Error {
  /// Its bytes are not in order.
  case unreadable(DecodingFailure)
  /// The record that begins at an offset was not taken.
  case refused(StoreError, at: Int)
}
