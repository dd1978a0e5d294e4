/// A text that is no JSON, or none that is read here.
struct JSONFailure: Error, Equatable {
  /// The line, from 1; it ends with a line feed, a carriage return, or both.
  var line: Int
  /// The place in the line, from 1, counted in Unicode's scalars.
  var column: Int
  /// What is wrong there.
  var reason: String

  init(line: Int, column: Int, reason: String) {
    self.line = line
    self.column = column
    self.reason = reason
  }

  /// A failure at a place among the bytes.
  init(_ reason: String, at place: Int, in bytes: [UInt8]) {
    var position = JSONPlace()
    position.pass(bytes[..<min(place, bytes.count)])
    self.init(line: position.line, column: position.column, reason: reason)
  }
}

extension JSONFailure: CustomStringConvertible {
  var description: String { "\(line):\(column): \(reason)" }
}
