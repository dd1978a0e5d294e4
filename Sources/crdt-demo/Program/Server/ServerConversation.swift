import CRDTKit
import CRDTSimulator
import CRDTStore
import Toolkit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reference server that is spoken to in lines of JSON.
struct ServerConversation {
  private var service = ReferenceService()
  /// How long an answer takes.
  private(set) var latencyMillis = 0

  /// Does what a line asks for, and gives the line that answers it.
  mutating func reply(to line: [UInt8]) -> [UInt8] {
    let reply: ServerReply
    do {
      reply = self.reply(to: try JSONDecoder().decode(ServerRequest.self, from: Data(line)))
    } catch {
      let problem = (error as? DecodingError)?.problem ?? "\(error)"
      reply = ServerReply(error: RemoteError(.serverRejected, "not a request: \(problem)"))
    }
    return Self.line(of: reply)
  }

  /// A value as a line of JSON, its members in the order of their names.
  static func line(of value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Nothing that is sent holds a number that JSON has not.
    guard let json = try? encoder.encode(value) else { return Array("{}\n".utf8) }
    return Array(json) + [UInt8(ascii: "\n")]
  }

  private mutating func reply(to request: ServerRequest) -> ServerReply {
    var reply = ServerReply(id: request.id)
    if let control = request.control { apply(control) }
    do throws(RemoteError) {
      if let operations = request.push { reply.answers = try service.push(operations) }
      if let pull = request.pull { reply.page = try service.pull(pull) }
    } catch {
      reply.error = error
    }
    if request.report == true { reply.effects = service.server.effects }
    return reply
  }

  private mutating func apply(_ control: ServerControl) {
    if let isDown = control.isDown { service.isDown = isDown }
    if let wants = control.wantsCredentials { service.wantsCredentials = wants }
    if let latency = control.latencyMillis { latencyMillis = min(max(latency, 0), 60_000) }
    if let count = control.answersToLose { service.answersToLose = count }
    if let failures = control.failures { service.failures = failures }
    if control.acceptsAllFields == true { service.server.rejectedFields = [:] }
    if let issue = control.rejectField {
      service.server.rejectedFields[issue.path] = issue.message
    }
    if let delay = control.delay {
      let record = Document.RecordID(delay.entityId, in: delay.entityType)
      service.server.delaysLeft[record] = delay.count
      service.server.delayHint = delay.retryAfterMillis.map { .milliseconds($0) }
    }
    if let edit = control.edit {
      let record = Document.RecordID(edit.entityId, in: edit.entityType)
      service.server.edit(record, edit.fields ?? [:], isDeleted: edit.isDeleted ?? false)
    }
  }
}

/// Bytes that come in pieces, cut into lines.
struct ServerLines {
  /// How long a line may be: far more than a hundred operations take.
  static let lengthMax = 16 << 20

  private var bytes: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  /// Up to where its end has been looked for.
  private var searched = 0

  /// The next whole line without its end; `nil` if there is none yet.
  mutating func next() throws(CommandFailure) -> [UInt8]? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      bytes.removeFirst(start)
      (start, searched) = (0, bytes.count)
      guard bytes.count <= Self.lengthMax else {
        throw CommandFailure("a line has more than \(Self.lengthMax) bytes")
      }
      return nil
    }
    let line = Array(bytes[start..<end])
    (start, searched) = (end + 1, end + 1)
    return line
  }

  /// Takes in what `read` puts onto the end.
  mutating func append<Result>(
    _ read: (inout [UInt8]) throws(Syscalls.Failure) -> Result
  ) throws(Syscalls.Failure) -> Result {
    try read(&bytes)
  }
}

/// A line that a reference server answers with.
struct ServerReply: Codable, Equatable {
  /// The number of the request; none where the line could not be read.
  var id: Int?
  var answers: [Outbox.Answer]?
  var page: Outbox.PullPage?
  var error: RemoteError?
  /// The operations that were done, in order.
  var effects: [Outbox.Envelope]?
}

/// A line that a reference server is sent: one thing that it is to do.
struct ServerRequest: Codable, Equatable {
  /// What the reply is known by.
  var id: Int
  var push: [Outbox.Envelope]?
  var pull: Outbox.PullRequest?
  var control: ServerControl?
  /// Whether to tell of all that was done; what is asked for is how it is, even where
  /// the server is down.
  var report: Bool?
}
