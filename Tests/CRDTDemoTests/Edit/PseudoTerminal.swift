@testable import Toolkit
@testable import crdt_demo

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

/// A terminal without a screen: what a program writes on it, and keys for the program.
struct PseudoTerminal {
  private let ours: Int32
  /// The program's side.
  let theirs: Int32
  private var written: [UInt8] = []
  private var size: (columns: Int, rows: Int)

  init(columns: Int, rows: Int) throws {
    size = (columns, rows)
    #if canImport(Darwin)
    ours = try Syscalls.retrying("posix_openpt") { posix_openpt(O_RDWR | O_NOCTTY) }
    _ = try Syscalls.retrying("unlockpt") { grantpt(ours) | unlockpt(ours) }
    let path = String(cString: ptsname(ours))
    #else
    // Swift's module of the C library has none of the functions for this.
    let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    let ours = try Syscalls.retrying("open") { open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC) }
    var (lock, number): (Int32, UInt32) = (0, 0)
    _ = try Syscalls.retrying("ioctl") { ioctl(ours, setLock, &lock) }
    _ = try Syscalls.retrying("ioctl") { ioctl(ours, getNumber, &number) }
    self.ours = ours
    let path = "/dev/pts/\(number)"
    #endif
    theirs = try Syscalls.retrying("open") { open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) }
    try Syscalls.setNonBlocking(self.ours)
    try resize(columns: columns, rows: rows)
  }

  mutating func resize(columns: Int, rows: Int) throws {
    size = (columns, rows)
    var size = winsize()
    (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
    _ = try Syscalls.retrying("ioctl") { ioctl(theirs, UInt(TIOCSWINSZ), &size) }
  }

  func close() {
    for end in [ours, theirs] { Syscalls.closeDescriptor(end) }
  }

  func press(_ keys: String) throws {
    try FileWriter.writeAll(ours, Array(keys.utf8))
  }

  /// Reads what was written; waits a moment if there is nothing.
  mutating func read() throws {
    let ready = try Syscalls.wait(reading: [ours], milliseconds: 20)
    if ready[0].canRead { _ = try Syscalls.read(ours, onto: &written) }
  }

  /// All that the program has written.
  var output: String { String(decoding: written, as: UTF8.self) }

  /// Whether keys are shown, and lines can be corrected before they are sent, as usual.
  var isCooked: Bool {
    var modes = termios()
    return tcgetattr(theirs, &modes) == 0 && modes.c_lflag & tcflag_t(ECHO | ICANON) != 0
  }

  /// The screen: what the program's sequences, and no others, have drawn.
  var rows: [String] {
    var cells = [[String]](repeating: [], count: size.rows)
    var (row, column) = (0, 0)
    var rest = output[...]
    while let character = rest.popFirst() {
      if character == "\u{1B}", rest.first == "[" {
        rest.removeFirst()
        let parameters = rest.prefix { !$0.isLetter }
        rest = rest.dropFirst(parameters.count)
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        switch rest.popFirst() {
        case "H": (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
        case "J": cells = [[String]](repeating: [], count: size.rows)
        case "K" where cells.indices.contains(row): cells[row] = []
        default: break
        }
      } else if cells.indices.contains(row) {
        while cells[row].count <= column { cells[row].append(" ") }
        let columns = ShownCharacter(character, at: column).columns
        cells[row].replaceSubrange(
          column..., with: [String(character)] + [String](repeating: "", count: columns - 1))
        column += columns
      }
    }
    return cells.map { $0.joined() }
  }
}

/// A run of `crdt-demo edit` at a terminal without a screen.
struct EditorRun {
  var terminal: PseudoTerminal
  let process: Int32

  init(_ words: [String], columns: Int = 50, rows: Int = 6) throws {
    terminal = try PseudoTerminal(columns: columns, rows: rows)
    Syscalls.prepareProcess()
    let end = terminal.theirs
    process = try Syscalls.spawn(
      try DemoRun.path(), arguments: ["crdt-demo", "edit"] + words, input: end, output: end,
      errors: end)
  }

  /// Whether a process can be started that has a terminal besides its standard input and output.
  static let hasSessions = Syscalls.resolved(sessionStarter) != nil
  private static let sessionStarter = "/usr/bin/setsid"

  /// Has the shell start it from the terminal, in a folder.
  init(in folder: String, _ words: String) throws {
    terminal = try PseudoTerminal(columns: 50, rows: 6)
    Syscalls.prepareProcess()
    let end = terminal.theirs
    let script = "cd '\(folder)' && exec '\(try DemoRun.path())' \(words)"
    process = try Syscalls.spawn(
      Self.sessionStarter, arguments: ["setsid", "-c", "/bin/sh", "-c", script], input: end,
      output: end, errors: end, isGroup: false)
  }

  /// The rows of the text, without the spaces at their ends: a caret of others may be there.
  var text: [String] {
    terminal.rows.dropLast().filter { $0 != "~" }.map { row in
      String(row.reversed().drop { $0 == " " }.reversed())
    }
  }
  var status: String { terminal.rows.last ?? "" }

  /// Waits until the screens of editors are as they should be.
  static func wait(
    _ editors: inout [EditorRun], until isDone: ([EditorRun]) -> Bool
  ) throws {
    for _ in 0..<3_000 {
      for place in editors.indices { try editors[place].terminal.read() }
      if isDone(editors) { return }
    }
    let screens = editors.map { $0.terminal.rows.joined(separator: "\n") }
    throw CommandFailure("the screens don't come to be as they should:\n\(screens)")
  }

  /// Waits for the end of the process.
  mutating func end() throws -> Syscalls.Ending? {
    for _ in 0..<3_000 {
      try terminal.read()
      if let ending = try Syscalls.reap(process) {
        try terminal.read()
        return ending
      }
    }
    Syscalls.kill(process)
    return nil
  }
}
