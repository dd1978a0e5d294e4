extension SimulateCommand {
  /// What the help says of it.
  package static let help = """
    simulate starts replicas as processes of their own, joined by pipes. Each makes
    random edits of a document of its own, under most of the rules, and has a peer
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

    With --engine=world, the replicas are in one process and in virtual time: up to
    1,000 of them, with real peer sessions over simulated streams, or with deltas
    that travel each for itself. States are judged while it runs, against an oracle
    that knows of every edit who had seen what; the same seed gives the same run.

          --engine=ENGINE    processes or world (default processes)
          --scenario=FILE    take what is not said here from a file of JSON, of
                               either engine, such as
                               {"engine": "world", "replicas": 9,
                                "topology": "tree",
                                "links": {"delay": 20, "loss": 0.1},
                                "partitions":
                                  [{"from": 1, "to": 2, "groups": [[0, 1]]}],
                                "crashes": {"count": 5}}
                               with delays in milliseconds, other times in
                               seconds, and replicas counted from 0
          --workload=WHAT    mixed, set, counter, map, notes, text, in which random
                               typists write, or list, whose elements are inserted,
                               replaced, moved and removed (default mixed)
          --style=STYLE      session, group, datagram, store or outbox (default
                               session): group is sessions that push along a tree;
                               store is sessions of real stores, on disks that lose
                               what wasn't synchronised when a replica crashes;
                               outbox is apps that queue operations in such stores
                               for a server, which is replica 0
          --history=FILE     replay a history trace, its lanes shared among replicas
          --rate=N           operations a second of virtual time (default 1000)
          --interval=MS      milliseconds between synchronisations (default 100)
          --keys=N           how many elements or keys there are, or spots of a
                               text or list to write at (default 64)
          --delay=MS         how long a message takes (default 1)
          --jitter=MS        how much longer it may take (default 0)
          --bandwidth=N      bytes a second of a link (default as many as there are)
          --crashes=N        crashes at random moments (default 0)
          --restores=N       replicas started again from an older copy (default 0)
          --deaths=P         chance to die whenever a session asks for something
          --skew=MS          how far clocks are off at most (default 0)
          --drift=N          how many millionths they are too fast or slow at most
          --jumps=N          how many times a clock jumps (default 0)
          --jump=MS          how far it jumps at most (default 10000)
          --checks=P         chance that a state is judged when it has changed
          --shrink           show the least part of a run that still fails
          --save=FILE        with --shrink, write that part as a scenario

    It takes --loss and the like, --crash and --pause with chances for an interval,
    --partition, --join, --leave, --trace and --report too, but neither --store nor
    --free-running. Without --scenario and --engine, any of these options asks for
    a world. Processes have no --style, --crashes, --restores, --deaths, --checks
    and --shrink, and no texts. They make some 10 operations a round each unless
    --rate says otherwise, and their clocks are off by a minute at most.

    Topologies are also tree, grid, mesh:DEGREE, random:DEGREE, random:DEGREE:SEED
    and edges:A-B,C-D with replicas counted from 0, here as in scenarios.

    A scenario has these fields, all of which may be left out:

      engine, replicas, topology (a text as here, or a list of links: [[0, 1]]),
      workload, style, history, operations, rate, interval, keys, seed, checks
      links          delay, jitter, bandwidth, late, reconnect, loss, duplicate,
                     reorder, corrupt, cut; late and reconnect are the most
                     milliseconds for what others overtake, and for a link cut
      partitions     a list of from, to and groups; who is in no group is with all
                     others that are in none
      clocks         skew, jumps, jump (in milliseconds), drift (in millionths)
      crash, pause   chances for a round or an interval
      sabotage       a text, as for --sabotage
      crashes        count, torn (in an edit), restores, down (milliseconds at
                     most; else a tenth of the run), death (the chance that
                     --deaths is)
      disks          of stores: relaxed (the chance that an edit doesn't wait for
                     the disk), faults (that a call of it fails), compaction
                     (after how many bytes a snapshot is written; 0 for never)
      joins, leaves  lists of at and replica
      decoding       the chance that a replica reads its value back from bytes
                     before it does something
      steps          just what happens, in place of what is drawn: a list such as
                     --save writes
    """
}
