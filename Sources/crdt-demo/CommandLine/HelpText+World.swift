extension HelpText {
  /// What the help says of simulations in virtual time.
  static let world = """
    With --engine=world, the replicas are in one process and in virtual time: up to
    1,000 of them, with real peer sessions over simulated streams, or with deltas
    that travel each for itself. States are judged while it runs, against an oracle
    that knows of every edit who had seen what; the same seed gives the same run.

          --engine=ENGINE    processes or world (default processes)
          --scenario=FILE    take what is not said here from a file of JSON, such as
                               {"engine": "world", "replicas": 9,
                                "topology": "tree",
                                "links": {"delay": 20, "loss": 0.1},
                                "partitions":
                                  [{"from": 1, "to": 2, "groups": [[0, 1]]}],
                                "crashes": {"count": 5}}
          --workload=WHAT    mixed, set, counter, map or notes (default mixed)
          --style=STYLE      session or datagram (default session)
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
          --jumps=N          how many times a clock jumps (default 0)
          --checks=P         chance that a state is judged when it has changed

    Topologies are also tree, grid, mesh:DEGREE, random:DEGREE, random:DEGREE:SEED
    and edges:A-B,C-D with replicas counted from 0, here as in scenarios.

    soak plays small random worlds with every class of fault, one after another,
    until it is interrupted, and prints how many there were, what was injected and
    what was found. What fails is shown shrunken.

      -s, --seed=N           the seed of the first world (default 1)
      -n, --schedules=N      end after so many
      -m, --minutes=N        end after so long
      -l, --lanes=N          how many are played at a time (default 1)
      -q, --quiet            show no progress
    """
}
