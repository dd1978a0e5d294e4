public import CRDTStore

/// The contract of `Sealing`.
public enum SealingContract {
  /// Checks a kind of sealing.
  ///
  /// - Parameter make: Creates a sealing with a key for a number; equal numbers give equal
  ///   keys.
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(_ make: (_ key: UInt8) -> any Sealing) -> [ContractViolation] {
    var report = ContractReport("Sealing")
    let context = Array("a context".utf8)
    do throws(SealingError) {
      for count in [0, 1, 15, 16, 17, 64, 1_000, 70_000] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let sealed = try make(1).seal(bytes, for: context)
        let opened = try make(1).open(sealed, for: context)
        report.expect(
          opened == bytes, "what was sealed opens to the same bytes", "not \(count) bytes")
        report.expect(
          sealed.count <= bytes.count + make(1).overheadBytes,
          "sealing adds at most `overheadBytes`", "\(sealed.count - bytes.count)")
      }
      try checkSecrecy(make(1), context, &report)
      try checkRefusal(make, context, &report)
    } catch {
      report.note(error, "what was sealed opens")
    }
    return report.violations
  }

  private static func checkSecrecy(
    _ sealing: any Sealing, _ context: [UInt8], _ report: inout ContractReport
  ) throws(SealingError) {
    let bytes = Array("nobody is to read these bytes".utf8)
    let first = try sealing.seal(bytes, for: context)
    let second = try sealing.seal(bytes, for: context)
    report.expect(first != second, "sealing the same twice gives different bytes")
    let isVisible = first.indices.contains { first[$0...].starts(with: bytes.prefix(8)) }
    report.expect(!isVisible, "what is sealed can't be seen in the result")
  }

  private static func checkRefusal(
    _ make: (_ key: UInt8) -> any Sealing, _ context: [UInt8], _ report: inout ContractReport
  ) throws(SealingError) {
    let sealed = try make(1).seal(Array("some bytes".utf8), for: context)
    func expectRefusal(_ bytes: [UInt8], _ context: [UInt8], key: UInt8 = 1, _ what: String) {
      do throws(SealingError) {
        _ = try make(key).open(bytes, for: context)
        report.expect(false, "what wasn't sealed so is refused", "\(what) was opened")
      } catch {
        report.expect(
          error == .notAuthentic, "what wasn't sealed so is refused as not authentic",
          "\(error) for \(what)")
      }
    }
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      expectRefusal(changed, context, "bit \(bit) changed")
    }
    for count in 0..<sealed.count {
      expectRefusal(Array(sealed.prefix(count)), context, "the first \(count) bytes")
      expectRefusal(Array(sealed.suffix(count)), context, "the last \(count) bytes")
    }
    expectRefusal(sealed + [0], context, "a byte more")
    expectRefusal(sealed + sealed, context, "it twice")
    expectRefusal(sealed, [], "no context")
    expectRefusal(sealed, context + [0], "another context")
    expectRefusal(sealed, context, key: 2, "another key")
  }
}
