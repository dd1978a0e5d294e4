import CRDTKit
import Foundation
import Testing

@testable import CRDTSimulator

@Suite("The security policy of a report")
struct SecurityPolicyTests {
  @Test("lets the page's own script run, as a browser hashes it, and nothing else")
  func policy() throws {
    let title = TraceEvent(time: 0, kind: .begin, value: "A <script>evil()</script> run")
    let html = ReportPage(run: TraceRun([title])).html
    let scripts = html.components(separatedBy: "<script>").dropFirst()
    #expect(scripts.count == 1)
    let script = try #require(scripts.first?.components(separatedBy: "</script>").first)
    #expect(script.contains("'use strict'"))
    let hexadecimal = SHA256.hexadecimalDigest(of: Array(script.utf8))
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { place in
      UInt8(hexadecimal.dropFirst(place).prefix(2), radix: 16)
    }
    let policy =
      "default-src 'none'; script-src 'sha256-\(Data(bytes).base64EncodedString())'; "
      + "style-src 'unsafe-inline'"
    #expect(
      html.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">"))
    // It holds from there on.
    let head = try #require(html.components(separatedBy: "<title>").first)
    #expect(head.contains("Content-Security-Policy") && !head.contains("<style>"))
    #expect(!html.contains("src=") && !html.contains(" onclick=") && !html.contains("<link"))
  }
}
