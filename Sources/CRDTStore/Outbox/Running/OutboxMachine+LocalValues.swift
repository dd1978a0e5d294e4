import CRDTKit

extension OutboxMachine {
  /// Creates the machine of an outbox from a store's local values.
  ///
  /// A value that can't be read, which only a newer version can have written, stays
  /// where it is and is not sent.
  init(restoring local: LocalValues, settings: OutboxSettings, at now: UInt64) {
    var values = local.filter { $0.key.hasPrefix(OutboxKey.area) }
    while true {
      do throws(OutboxDamage) {
        try self.init(
          restoring: values.map { (key: $0.key, value: $0.value) }, settings: settings, at: now)
        return
      } catch {
        values[error.key] = nil
      }
    }
  }
}
