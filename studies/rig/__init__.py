"""The hardware loop on a bundle: one module per subcommand of ``catenary rig``.

A subcommand stands here by its name with one line on what it does; ``studies/commands/rig_<name>.py`` has what every
study has: JOB, CONFIG (its job file in conf), compose and run.
"""

COMMANDS: dict[str, str] = {
    "emulate": "emulate a whole test of a bundle, compared with the periodic state and the long transient",
    "map": "where the loop settles, and the settings recommended for a test",
    "serve": "a bundle stepped over UDP for the controller of a rig, or as a dry run",
    "device": "the other side: an emulated pantograph and actuator, in real time",
    "stop": "the emergency stop of a served test",
    "compare": "compare a measured log with its prediction",
}
