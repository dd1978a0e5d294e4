#if canImport(FoundationEssentials)
public import FoundationEssentials
#elseif canImport(Foundation)
public import Foundation
#endif

#if canImport(Foundation)
// Foundation shows an error's description only if the error says that it has one.

extension CredentialError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension KeyProviderError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension Outbox.Failure: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension PeerLinkError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension RecordError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension RemoteError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension SealingError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}

extension SystemError: LocalizedError {
  /// The error's description.
  public var errorDescription: String? { description }
}
#endif
