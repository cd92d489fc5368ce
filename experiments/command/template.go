package command

// Template is a spec to begin with.
const Template = `# Any program: docs/commands.md says what it gets and what it is to answer.

experiment = "command"
seeds      = 10

[command]
# Arguments may hold {name} of parameters, {seed} and {dir}, where this file is.
# Parameters are also in the environment, as SWEEP_NAME, and JSON on stdin.
run     = ["python3", "{dir}/sim.py", "--beta", "{beta}", "--seed", "{seed}"]
# Either the files whose content makes other runs, or a version to raise:
#watch  = ["sim.py"]
version = "1"
# What the last line of stdout holds, a JSON object: {"infected": 812, "peak": 90}
metrics = ["infected", "peak"]
#series = ["infected"]    # lists of numbers in it
#axis   = "day"           # one of them: the time
#file   = "result.json"   # read the object from a file in the run's directory
timeout = "60s"
#keep   = true            # keep the directories of runs that succeeded
#shell  = true            # run is then one text for /bin/sh

# Only if tables and figures are to say more:
#[parameters]
#beta = { unit = "1/d", meaning = "infections a day", symbol = "β", min = 0 }

[grid]
beta  = [0.1, 0.2, 0.3]
gamma = { from = 0.05, to = 0.2, step = 0.05 }
`
