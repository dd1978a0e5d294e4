import CRDTKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ReportPage {
  /// What a browser lets the page do.
  ///
  /// It runs its own script, which is known by its digest, and looks as it does. It loads
  /// nothing, and runs nothing that got into it by a text.
  static let securityPolicy: String = {
    let words = SHA256.hexadecimalDigest(of: Array(PageScript.element.utf8))
    let digest = Data(
      stride(from: 0, to: words.count, by: 2).map { place in
        let start = words.index(words.startIndex, offsetBy: place)
        return UInt8(words[start...].prefix(2), radix: 16) ?? 0
      })
    return "default-src 'none'; script-src 'sha256-\(digest.base64EncodedString())'; "
      + "style-src 'unsafe-inline'"
  }()
}
