extension HistoryTrace {
  private static let tab = UInt8(ascii: "\t")
  private static let newline = UInt8(ascii: "\n")

  /// Understands the text of a trace.
  package init(parsing bytes: [UInt8]) throws(Malformed) {
    commits = []
    var lanes: [UInt64: Int] = [:]
    var fields = FieldTree()
    var number = 0
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: Self.newline) ?? bytes.count
      number += 1
      do throws(Problem) {
        try take(Line(bytes[start..<end], number: number), lanes: &lanes, fields: &fields)
      } catch {
        throw Malformed(line: number, reason: error.reason)
      }
      start = end + 1
    }
    if commits.isEmpty { throw Malformed(line: max(number, 1), reason: "there is no commit") }
  }

  package struct Problem: Error {
    package var reason: String

    package init(_ reason: String) {
      self.reason = reason
    }
  }

  private struct Line {
    var fields: [ArraySlice<UInt8>]
    var number: Int

    init(_ bytes: ArraySlice<UInt8>, number: Int) {
      fields = bytes.split(
        separator: HistoryTrace.tab, maxSplits: 5, omittingEmptySubsequences: false)
      self.number = number
    }
  }

  private mutating func take(
    _ line: Line, lanes: inout [UInt64: Int], fields: inout FieldTree
  ) throws(Problem) {
    let kind = line.fields[0]
    switch (kind.first, kind.count) {
    case (UInt8(ascii: "C"), 1): try takeCommit(line, lanes: &lanes)
    case (UInt8(ascii: "+"), 1), (UInt8(ascii: "-"), 1): try takeChange(line, &fields)
    case (UInt8(ascii: "D"), 1): try takeRecord(line)
    case (nil, _): throw Problem("the line is empty")
    default: throw Problem("a line must begin with C, + or - and a tab")
    }
  }

  private mutating func takeCommit(
    _ line: Line, lanes: inout [UInt64: Int]
  ) throws(Problem) {
    guard line.fields.count == 5 else {
      throw Problem("a commit must have an index, a lane, a time and parents")
    }
    let index = commits.count
    guard try Self.number(line.fields[1], "the index", Int.self) == index else {
      throw Problem("the commit's index must be \(index)")
    }
    let lane = try Self.number(line.fields[2], "the lane", UInt64.self)
    guard lane < UInt64.max else { throw Problem("the lane is out of bounds") }
    let time = try Self.number(line.fields[3], "the time", Int64.self)
    let parents = try Self.parents(line.fields[4], of: index)
    if let last = lanes[lane], !parents.contains(last) {
      throw Problem("lane \(lane) forks: its last commit, \(last), is not a parent")
    }
    lanes[lane] = index
    commits.append(Commit(lane: lane, seconds: time, parents: parents, line: line.number))
  }

  private mutating func takeRecord(_ line: Line) throws(Problem) {
    guard line.number == 1 else { throw Problem("the file may be named in the first line only") }
    guard line.fields.count == 2 else { throw Problem("D must be followed by a file's name") }
    record = try Self.path(line.fields[1])
  }

  private mutating func takeChange(_ line: Line, _ fields: inout FieldTree) throws(Problem) {
    guard !commits.isEmpty else { throw Problem("a change comes before any commit") }
    let isWrite = line.fields[0].first == UInt8(ascii: "+")
    guard line.fields.count == (isWrite ? 3 : 2) else {
      throw Problem(
        isWrite
          ? "a write must have a path and a \(record == nil ? "hash" : "value")"
          : "a removal must have a path")
    }
    if record != nil {
      let change = try Self.fieldChange(line.fields, isWrite: isWrite, among: &fields)
      commits[commits.count - 1].changes.append(change)
      return
    }
    let path = try Self.path(line.fields[1])
    let change: Change =
      isWrite ? .write(path: path, hash: try Self.hash(line.fields[2])) : .remove(path: path)
    commits[commits.count - 1].changes.append(change)
  }

  private static func parents(
    _ field: ArraySlice<UInt8>, of index: Int
  ) throws(Problem) -> [Int] {
    if field.elementsEqual("-".utf8) { return [] }
    var parents: [Int] = []
    for part in field.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let parent = try number(part, "a parent", Int.self)
      guard parent < index else { throw Problem("parent \(parent) does not come before its child") }
      guard !parents.contains(parent) else { throw Problem("parent \(parent) is named twice") }
      parents.append(parent)
      guard parents.count <= parentsMax else { throw Problem("there are too many parents") }
    }
    return parents
  }

  private static func number<Number: FixedWidthInteger>(
    _ field: ArraySlice<UInt8>, _ what: String, _: Number.Type
  ) throws(Problem) -> Number {
    guard field.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Number(String(decoding: field, as: UTF8.self))
    else { throw Problem("\(what) must be a whole number") }
    return number
  }

  private static func path(_ field: ArraySlice<UInt8>) throws(Problem) -> String {
    guard !field.isEmpty else { throw Problem("the path is empty") }
    guard field.count <= pathLengthMax else {
      throw Problem("the path is longer than \(pathLengthMax) bytes")
    }
    guard let path = String(validating: field, as: UTF8.self) else {
      throw Problem("the path is not valid UTF-8")
    }
    return path
  }

  private static func hash(_ field: ArraySlice<UInt8>) throws(Problem) -> String {
    let digits = Array("0123456789abcdef".utf8)
    guard field.count == 12, field.allSatisfy(digits.contains) else {
      throw Problem("the hash must be 12 lowercase hexadecimal digits")
    }
    return String(decoding: field, as: UTF8.self)
  }
}
