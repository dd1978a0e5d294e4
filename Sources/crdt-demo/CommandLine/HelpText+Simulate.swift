extension HelpText {
  /// What the help says of simulations.
  static let simulate = """
    simulate starts replicas as processes of their own, joined by pipes. Each makes
    random edits of a document of its own, under every kind of rule, and has a peer
    session with each neighbour, over streams of bytes that are cut into chunks.
    Chunks are lost, repeated, overtaken and damaged, and links break; then the
    replicas connect anew. In the end the links heal, and all replicas must come to
    hold the same document, with nothing missing.

      -r, --replicas=N       how many replicas, 2 to 64, or to 1000 in a world
                               (default 4)
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
          --pause=P          chance that a process is stopped in a round, for up to
                               12 rounds, 0 to 1 (default none)
          --partition=FROM-TO:A,B/C,D
                             let only A and B, C and D, and the others reach each
                               other from one second to another; may be repeated
          --join=AT:A        let replica A come so many seconds later; may be
                               repeated, as the next
          --leave=AT:A       let replica A leave for good
          --sabotage=WHAT    let replica 1 go wrong by itself, or by
                               REPLICA:ROUND:WHAT another, from a round on: exit,
                               kill, hang, babble, tear, deaf, fork, boast; in
                               worlds deaf, forgetful, backwards, unmarked,
                               unnoticed, unwritten, homeless, refused, same-dots
                               (as soak says), or in stores store-fdatasync; with
                               outboxes late-times, blind-retries, old-receipts,
                               unqueued-edits, doubled-counters
          --trace=FILE       write every event to FILE, a line of JSON each
          --report=FILE      write a page of HTML that shows the run
          --timeout=SECONDS  give up on a replica silent for so long (default 10)
      -j, --json             print one JSON object
      -q, --quiet            show no progress

    Without --free-running and --crash, the same command gives the same counts and
    the same digest every time; only the column 'time' differs.

    Both engines have the same links, clocks and schedule of faults: in rounds, a
    process gets what has come for it once an interval, in virtual time.

    With --crash, processes are killed by SIGKILL while they commit, exchange or
    open their stores, and others go on with these. Each replica tells of every
    commit when it is durable; what was told must be there when the store is opened
    again, and in the end: else it counts as lost, and the status is 1.

    With --pause, processes are stopped by SIGSTOP in the middle of a round, and
    others go on; when they are let go on, they hear what has come meanwhile.

    In --partition, --join and --leave, replicas are counted from 0, as in
    scenarios. A round stands for one interval of a scenario, so 100 milliseconds
    unless --interval says otherwise: --join=2:3 lets replica 3 come in round 20.
    Who leaves takes along what it has not told; the others must hold what they
    have heard of it, and all who still reach each other the same. With
    --free-running, seconds are real ones, 10 milliseconds are a round to --pause,
    and nobody is killed, comes or leaves.

    There is another engine, in virtual time: see --engine below. A run that fails
    prints the command that plays it again.
    """
}
