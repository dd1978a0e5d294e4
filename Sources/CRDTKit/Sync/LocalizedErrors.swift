#if canImport(FoundationEssentials)
public import FoundationEssentials
#elseif canImport(Foundation)
public import Foundation
#endif

#if canImport(Foundation)
/// An error whose description Foundation shows: it shows none that doesn't say so.
public protocol _DescribedError: LocalizedError, CustomStringConvertible {}

extension _DescribedError {
  /// The error's description.
  public var errorDescription: String? { description }
}
#else
/// An error whose description is shown.
public protocol _DescribedError: Error, CustomStringConvertible {}
#endif

extension CounterOverflow: _DescribedError {}
extension DecodingFailure: _DescribedError {}
extension DeltaError: _DescribedError {}
extension Document.UnstorableValue: _DescribedError {}
extension HybridLogicalClock.DriftError: _DescribedError {}
extension SyncFailure: _DescribedError {}
