/// How far a workload was when it crashed.
package struct CrashMoment: Sendable {
  /// How many calls had been made.
  package let call: Int
  /// The operations that had begun, in that order.
  package let issuedNumbers: [Int]
  /// The operations that had been acknowledged, in that order.
  package let acknowledgedNumbers: [Int]

  /// A hash of all but the call, the same for equal moments in one process.
  let fingerprint: Int

  init(call: Int, issuedNumbers: [Int], acknowledgedNumbers: [Int]) {
    self.call = call
    self.issuedNumbers = issuedNumbers
    self.acknowledgedNumbers = acknowledgedNumbers
    fingerprint = [issuedNumbers, acknowledgedNumbers].hashValue
  }

  /// How many operations had begun.
  package var issued: Int { issuedNumbers.count }
  /// How many operations had been acknowledged.
  package var acknowledged: Int { acknowledgedNumbers.count }
}
