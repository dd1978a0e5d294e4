/// What must hold before a job is begun.
public struct JobConstraints: OptionSet, Hashable, Sendable {
  /// One bit a constraint.
  public let rawValue: UInt8

  /// Creates a set of constraints from their bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Servers are reached.
  public static let network = JobConstraints(rawValue: 1)
  /// Servers are reached over what isn't metered.
  public static let unmetered = JobConstraints(rawValue: 2)
  /// The device is on power.
  public static let charging = JobConstraints(rawValue: 4)
  /// Nobody is using the device.
  public static let idle = JobConstraints(rawValue: 8)
  /// The battery isn't low.
  public static let batteryNotLow = JobConstraints(rawValue: 16)
}

extension JobConstraints: CustomStringConvertible {
  /// The names of the constraints, with commas.
  public var description: String {
    let names: [(JobConstraints, String)] = [
      (.network, "network"), (.unmetered, "unmetered"), (.charging, "charging"), (.idle, "idle"),
      (.batteryNotLow, "batteryNotLow"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
