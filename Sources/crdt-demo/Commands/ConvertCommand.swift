import CRDTKit

/// `crdt-demo convert`: an encoded document as JSON, or JSON as an encoded document.
enum ConvertCommand {
  /// The greatest file that is read, in bytes.
  static let sizeMax = 256 << 20

  static func run(_ options: ConvertOptions) -> ExitStatus {
    var console = Console()
    do throws(Trouble) {
      let bytes = try named(options.file) { () throws(Trouble) in
        try converted(try FileReader.read(options.file, sizeMax: sizeMax))
      }
      guard let path = options.output else {
        console.write(bytes)
        return console.finish(.success)
      }
      try named(path) { () throws(Trouble) in try FileWriter.write(bytes, to: path) }
      return console.finish(.success)
    } catch {
      console.error(error.description)
      return console.finish(.trouble)
    }
  }

  /// Says which file there was trouble with.
  private static func named<Result>(
    _ path: String, _ body: () throws(Trouble) -> Result
  ) throws(Trouble) -> Result {
    do throws(Trouble) { return try body() } catch { throw Trouble("\(path): \(error)") }
  }

  /// The other form; the first byte of a document is none that JSON begins with.
  private static func converted(_ bytes: [UInt8]) throws(Trouble) -> [UInt8] {
    guard bytes.first == 0xC4 else { return try document(ofJSON: bytes).encoded() }
    do throws(DecodingFailure) {
      var text: [UInt8] = []
      try Document(decoding: bytes).writeJSON { text += $0.utf8 }
      return text
    } catch {
      throw Trouble("\(error)")
    }
  }

  /// The document that JSON describes: collections of records of fields.
  private static func document(ofJSON bytes: [UInt8]) throws(Trouble) -> Document {
    let value: Document.Value
    do throws(JSONFailure) {
      value = try JSONText(parsing: bytes).documentValue()
    } catch {
      throw Trouble("\(error)")
    }
    return try Document(json: value)
  }
}
