/// Is told now and then that there is progress, and asks how much if it shows any.
typealias ProgressSink = (() -> SimulationProgress) -> Void
