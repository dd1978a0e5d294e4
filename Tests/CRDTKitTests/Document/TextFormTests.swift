import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// Moments and decimals as text, held against Foundation.
@Suite("Moments and decimals as text")
struct TextFormTests {
  private struct Moment: Codable, Equatable {
    var at: Date
  }

  private struct Amount: Codable, Equatable {
    var of: Decimal
  }

  private func date(_ text: String) throws -> Date {
    try Document.model(Moment.self, from: ["at": .string(text)]).at
  }

  private func text(of amount: Decimal) throws -> Document.Value? {
    try Document.fields(of: Amount(of: amount))["of"]
  }

  @Test("Every moment is read from its text as just the same number")
  func moments() throws {
    var random = SeededGenerator(seed: 0xDA7E)
    var numbers: [Double] = [0, -0.25, 0.1, -0.1, 1e-7, 817_050_693.52, -978_307_200.5, 5.5]
    for _ in 0..<2_000 {
      let number = Double.random(in: -6e10...2.5e11, using: &random)
      numbers += [number, number.rounded(), number / 1e6, (number * 1000).rounded() / 1000]
    }
    for number in numbers {
      let text = try #require(MomentText.text(of: number))
      #expect(MomentText.seconds(of: text) == number, "\(text)")
    }
    #expect(MomentText.text(of: .nan) == nil)
    #expect(MomentText.text(of: 1e300) == nil)
  }

  @Test("The text is that of Foundation, and Foundation's is read")
  func foundation() throws {
    var random = SeededGenerator(seed: 0xDA7E2)
    for _ in 0..<500 {
      // From the year 1600, before which Foundation may keep to another calendar.
      let seconds = Double(Int64.random(in: -12_000_000_000...60_000_000_000, using: &random))
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let text = date.formatted(.iso8601)
      #expect(MomentText.text(of: seconds) == text)
      #expect(try self.date(text) == date)
    }
  }

  @Test("Texts of other spellings are read, and those that say no moment are not")
  func spellings() throws {
    let known = [
      ("2001-01-01T00:00:00Z", 0), ("2001-01-01", 0), ("2001-01-01t01:00:00+01:00", 0),
      ("2001-01-01 00:00", 0), ("2000-12-31T19:00:00.5-0500", 0.5),
      ("2001-01-01T00:00:01,25Z", 1.25),
      ("2000-12-31T24:00:00Z", 0), ("2000-12-31T23:59:60Z", 0), ("2001-01-01T02:00:00+02", 0),
      ("2000-02-29T00:00:00Z", -26_524_800), ("+002001-01-01T00:00:00Z", 0),
    ]
    for (text, seconds) in known { #expect(MomentText.seconds(of: text) == seconds, "\(text)") }
    let unknown = [
      "", "2001", "2001-1-1", "2001-02-29", "2001-13-01", "2001-01-01T", "2001-01-01T25:00",
      "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00Zx", "2001-01-01T00:00:00+1", "01-01-2001",
      "2001-01-01T24:00:01Z", "2001-01-0 1", "²001-01-01", "2001-01-+1", "99999-01-01",
    ]
    for text in unknown { #expect(MomentText.seconds(of: text) == nil, "\(text)") }
    #expect(throws: DecodingError.self) { try date("yesterday") }
  }

  @Test("Decimals are plain text, and are read as just the same number")
  func decimals() throws {
    let texts = [
      "0": "0", "1.50": "1.5", "-0.05": "-0.05", "100": "100", "12.345": "12.345",
      "-1200": "-1200", "0.00000000000000000001": "0.00000000000000000001",
      "99999999999999999999999999999999999999": "99999999999999999999999999999999999999",
    ]
    for (text, plain) in texts {
      let decimal = try #require(Decimal(string: text))
      #expect(try self.text(of: decimal) == .string(plain))
      let read = try Document.model(Amount.self, from: ["of": .string(text)])
      #expect(read.of == decimal)
      #expect(read.of.description == decimal.description)
    }
    var random = SeededGenerator(seed: 0xDEC)
    for _ in 0..<500 {
      let significand = Decimal(Int64.random(in: .min ... .max, using: &random))
      let decimal = Decimal(
        sign: .plus, exponent: Int.random(in: -60...15, using: &random), significand: significand)
      let fields = try Document.fields(of: Amount(of: decimal))
      #expect(try Document.model(Amount.self, from: fields).of == decimal)
      guard case .string(let text)? = fields["of"] else {
        Issue.record("\(decimal) is no text")
        continue
      }
      #expect(Decimal(string: text) == decimal)
    }
    // As JSON has numbers, and as the type kept it before.
    #expect(try Document.model(Amount.self, from: ["of": 12]).of == 12)
    #expect(try Document.model(Amount.self, from: ["of": 0.1]).of == Decimal(string: "0.1"))
    let old: Document.Value = [
      "exponent": -1, "isCompact": true, "isNegative": false, "length": 1,
      "mantissa": [456, 0, 0, 0, 0, 0, 0, 0],
    ]
    #expect(try Document.model(Amount.self, from: ["of": old]).of == Decimal(string: "45.6"))
    for text in ["", "-", "1.", ".5", "1e", "1,5", "NaN", "1e999", "0x1", "１", "1-"] {
      #expect(throws: (any Error).self, "\(text)") {
        try Document.model(Amount.self, from: ["of": .string(text)])
      }
    }
  }
}
