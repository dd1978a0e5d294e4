/// What `--help` and `--version` say.
enum HelpText {
  static let version = "crdt-demo 0.1.0\n"

  static let hint = "Try 'crdt-demo --help' for more information.\n"

  /// All of it, command by command.
  static let help = """
    Usage: \(Topic.allCases.map(\.usage).joined(separator: "\n  or:  "))
    Show replicated data at work: on faulty links, on a real history, in git, in a
    store, and in an app. 'crdt-demo COMMAND --help' tells of one command alone.

    \(Topic.allCases.map(\.text).joined(separator: "\n\n"))

      -h, --help             show this help, or a command's, and exit
      -V, --version          show the version and exit

    Exit status: 0 if the replicas converged, the history was replayed or the files
    merged, 1 if the replicas diverged, two traces differ or the files are in
    conflict, if a store has not what it was asked for or isn't sound, if a rule
    kept a field from being written, if a world found something that never may be,
    if what was asked of notes is not so, or if the server has something else in
    the end of the outbox's scenario, 2 if something went wrong (a file, a pipe, a
    replica that died or hung, a store that can't be used), 64 if the command line
    can't be understood.
    """
}
