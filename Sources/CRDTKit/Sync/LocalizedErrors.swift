#if canImport(FoundationEssentials)
public import FoundationEssentials
#elseif canImport(Foundation)
public import Foundation
#endif

#if canImport(Foundation)
// Foundation shows an error's description only if the error says that it has one.

extension CounterOverflow: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension DecodingFailure: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension DeltaError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension Document.UnstorableValue: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension HybridLogicalClock.DriftError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension SyncFailure: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}
#endif
