public import CRDTKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#elseif canImport(Foundation)
import Foundation
#endif

extension CredentialError: _DescribedError {}
extension KeyProviderError: _DescribedError {}
extension Outbox.Failure: _DescribedError {}
extension PeerLinkError: _DescribedError {}
extension RecordError: _DescribedError {}
extension RemoteError: _DescribedError {}
extension SealingError: _DescribedError {}
extension StoreError: _DescribedError {}
extension SystemError: _DescribedError {}
