extension HelpText {
  /// What the help says of serving a store.
  static let serve = """
    serve keeps the store in DIR in sync with the program at its standard input and
    output, until the input ends: the other end of 'store sync --command'. Messages
    go to the standard error. The store can be read meanwhile. Once both sides hold
    the same, the other one may be silent; until then it must not be, nor too slow.

          --timeout=SECONDS  for how long it may be silent, and has to greet
                               (default 30)
          --rate=BYTES       how much it says or takes in a second, at least; 0 for
                               any (default 10)
          --memory=MIB       how much memory what it brings may take (default 1024)
    """

  /// What the help says of the outbox's scenario.
  static let outboxScenario = """
    outbox-scenario uses an app's store offline, with a server in a process of its
    own: notes are loaded; without a network one is created, one changed and one
    deleted; the app is started anew, goes online and sends what was queued. What
    happens is printed as events, the same for a seed; in the end the server must
    have what the app has.

      -s, --seed=N           what titles and changes follow from (default 1)
      -j, --json             print each event as a line of JSON
    """
}
