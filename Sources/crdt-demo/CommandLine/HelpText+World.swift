extension HelpText {
  /// What the help says of simulations in virtual time.
  static let world = """
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
          --workload=WHAT    mixed, set, counter, map or notes (default mixed)
          --style=STYLE      session, group, datagram, store or outbox (default
                               session): group is sessions that push along a tree;
                               store is sessions of real stores, on disks that lose
                               what wasn't synchronised when a replica crashes;
                               outbox is apps that queue operations in such stores
                               for a server, which is replica 0
          --history=FILE     replay a history trace, its lanes shared among replicas
          --rate=N           operations a second of virtual time (default 1000)
          --interval=MS      milliseconds between synchronisations (default 100)
          --keys=N           how many elements or keys there are (default 64)
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
    and --shrink. They make some 10 operations a round each unless --rate says
    otherwise, and their clocks are off by a minute at most.

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

  /// What the help says of soaking.
  static let soak = """
    soak plays small random worlds with every class of fault, one after another,
    until it is interrupted or three faults are found, and prints how many there
    were, what was injected and what was found. What fails is shown shrunken.

      -s, --seed=N           the seed of the first world (default 1)
      -n, --schedules=N      end after so many
      -m, --minutes=N        end after so long
      -l, --lanes=N          how many are played at a time (default 1)
          --style=STYLE      worlds of one style only: session, group, datagram,
                               store or outbox
          --sabotage=KIND    break something, to see it found: deaf, forgetful,
                               backwards or store-fdatasync (disks that ignore it);
                               of apps and a server: late-times (the server says
                               that all it has was changed just now), blind-retries
                               (what was refused is sent again as it was made),
                               old-receipts (what doesn't wait counts as delivered),
                               unqueued-edits (the server isn't told of what apps
                               write by edit) or doubled-counters (apps also sync
                               with each other);
                               of what tells that one name is used in two places:
                               unmarked (values read from bytes have forgotten it),
                               unnoticed (a backup put back isn't told from what it
                               is a copy of), unwritten (who takes a new name leaves
                               what it wrote as it is), homeless (a store doesn't
                               notice that its folder is a copy), same-dots (events
                               of one dot are taken for the same) or refused (the
                               other is refused for ever)
      -q, --quiet            show no progress
    """
}
