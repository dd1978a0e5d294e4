/// What `--help` and `--version` say.
enum HelpText {
  static let version = "crdt-demo 0.1.0\n"

  static let hint = "Try 'crdt-demo --help' for more information.\n"

  static let help = """
    Usage: crdt-demo simulate [OPTION]...
      or:  crdt-demo soak [OPTION]...
      or:  crdt-demo trace [OPTION]... FILE [FILE]
      or:  crdt-demo replay [OPTION]... FILE
      or:  crdt-demo merge [OPTION]... BASE OURS THEIRS
      or:  crdt-demo convert [OPTION]... FILE
      or:  crdt-demo store COMMAND DIR [ARGUMENT]...
      or:  crdt-demo serve DIR
      or:  crdt-demo notes [-s DIR] COMMAND [ARGUMENT]...
      or:  crdt-demo outbox-scenario [OPTION]...
      or:  crdt-demo experiment NAME [OPTION]...
    Show replicated data at work: on faulty links, on a real history, in git, in a
    store, and in an app.

    simulate starts replicas as processes of their own, joined by pipes. Each makes
    random edits of a document of its own, under every kind of rule, and has a peer
    session with each neighbour, over streams of bytes that are cut into chunks.
    Chunks are lost, repeated, overtaken and damaged, and links break; then the
    replicas connect anew. In the end the links heal, and all replicas must come to
    hold the same document, with nothing missing.

      -r, --replicas=N       how many replicas, 2 to 64 (default 4)
      -n, --ops=N            operations in all, shared among them (default 2000)
      -s, --seed=N           the seed of all chance; 'random' for a fresh one
                               (default 1)
      -t, --topology=SHAPE   who is linked with whom: mesh, ring, star, line...
                               (default mesh)
          --loss=P           chance that a chunk is lost, 0 to 1 (default 0.02)
          --duplicate=P      chance that it comes twice (default 0.02)
          --reorder=P        chance that later ones overtake it (default 0.02)
          --corrupt=P        chance that a bit of it flips (default 0.02)
          --cut=P            chance that the link breaks (default 0.01)
      -f, --free-running     let real timing decide what comes first, not rounds
          --store=DIR        keep each replica's document in a store: DIR/1, DIR/2
                               and so on; DIR must be missing or empty
          --crash=P          chance that a process is killed in a round, at a random
                               moment, 0 to 1 (default none); needs --store
          --trace=FILE       write every event to FILE, a line of JSON each
          --report=FILE      write a page of HTML that shows the run
          --timeout=SECONDS  give up on a replica silent for so long (default 10)
      -j, --json             print one JSON object
      -q, --quiet            show no progress

    Without --free-running and --crash, the same command gives the same counts and
    the same digest every time; only the column 'time' differs.

    With --crash, processes are killed by SIGKILL while they commit, exchange or
    open their stores, and others go on with these. Each replica tells of every
    commit when it is durable; what was told must be there when the store is opened
    again, and in the end: else it counts as lost, and the status is 1.

    \(world)

    \(trace)

    replay takes a history trace (commits on lanes, each writing and removing
    paths) through an observed-remove map of registers, or through a document with
    a record for each path. Each lane is a replica; every parent's state reaches it
    as an encoded delta. A structured trace writes and removes the fields of one
    JSON file, nested ones too: it is replayed as a document, with one record. FILE
    may be - for the standard input.

          --as=FORM          what to replay it as: map or document (default map)
      -j, --json             print one JSON object

    merge makes one JSON file of two that were changed and the one they began as,
    member by member; an empty BASE stands for none. It prints the file laid out as
    OURS, untouched parts as they were. Where both sides changed a value and no rule
    decides, that is a conflict: it is reported, and the file shows OURS there, so
    that it stays JSON. As a merge driver of git:

      git config merge.json.driver 'crdt-demo merge -o %A --name %P %O %A %B'
      git config merge.json.recursive binary

      -o, --output=FILE      write to FILE, all or nothing, not to standard output
          --schema=FILE      the rules of fields, as JSON, with paths from the root:
                               {"fields": {"tags": "set", "stats.*": "counter"},
                                "deletion": "updateWins"}; without "deletion", a
                               change against a removal is a conflict
          --name=NAME        what messages call the file (default OURS)

    convert takes an encoded document and writes what it shows as JSON, an object of
    collections of records of fields; or takes such JSON and writes a document.

      -o, --output=FILE      where it goes (default the standard output)

    \(store)

    serve keeps the store in DIR in sync with the program at its standard input and
    output, until the input ends: the other end of 'store sync --command'. Messages
    go to the standard error.

    \(notes)

    outbox-scenario uses an app's store offline, with a server in a process of its
    own: notes are loaded; without a network one is created, one changed and one
    deleted; the app is started anew, goes online and sends what was queued. What
    happens is printed as events, the same for a seed; in the end the server must
    have what the app has.

      -s, --seed=N           what titles and changes follow from (default 1)
      -j, --json             print each event as a line of JSON

    \(experiment)

      -h, --help             show this help and exit
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
