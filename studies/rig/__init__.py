"""The hardware loop on a bundle: one module per subcommand of ``catenary rig``.

Each entry is a subcommand with a line on what it does; ``studies/commands/rig_<name>.py`` has what every
study has: JOB, CONFIG (its job file in conf), compose and run.
"""

COMMANDS: dict[str, str] = {
    "emulate": "emulate a whole test of a bundle, compared with the periodic state and the long transient",
    "map": "map where the loop settles, and recommend settings for a test",
    "serve": "step a bundle over UDP for the controller of a rig, or as a dry run",
    "device": "emulate the other side, pantograph and actuator, in real time",
    "stop": "send the emergency stop to a served test",
    "compare": "compare a measured log with its prediction",
}
