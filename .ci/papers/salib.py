# Is called by salib, with the directory of the results.
import json, sys
import numpy as np
import pyarrow.parquet as pq
from SALib.analyze import pawn, rbd_fast, sobol
from scipy.stats import rankdata

work = sys.argv[1]
names = ["x1", "x2", "x3"]
problem = {"num_vars": 3, "names": names, "bounds": [[-np.pi, np.pi]] * 3}


def ours(design):
    return {(r["parameter"], r.get("with", "")): r for r in json.load(open(f"{work}/{design}.json"))}


def compare(what, row, index, theirs, error, tolerance):
    low, value, high = (row[index + s] for s in ("_low", "", "_high"))
    print(f"{what} {index}: sweep {value:.4f} [{low:.3f}, {high:.3f}], theirs {theirs:.4f} ± {error:.3f}")
    assert abs(value - theirs) <= tolerance, "the indices differ"
    assert error == 0 or 0.5 < (high - low) / (2 * error) < 2, "the limits differ"


# Saltelli's design. SALib wants A, AB, BA, B; the columns of the design tell which is which.
runs = pq.read_table(work + "/saltelli2/runs.parquet").to_pandas()
order = ["A"] + ["AB " + n for n in names] + ["BA " + n for n in names] + ["B"]
blocks = runs.pivot(index="design_block", columns="design_point", values="y")[order]
theirs = sobol.analyze(problem, blocks.to_numpy().ravel(), calc_second_order=True, seed=1)
rows = ours("saltelli2")
for i, name in enumerate(names):
    for index, key in (("first", "S1"), ("total", "ST")):
        compare(name, rows[name, ""], index, theirs[key][i], theirs[key + "_conf"][i], 0.005)
    for j in range(i + 1, 3):
        pair = theirs["S2"][i, j], theirs["S2_conf"][i, j]
        compare(f"{name} × {names[j]}", rows[name, names[j]], "second", *pair, pair[1])

# Samples. rbd_fast resamples halves, so its error is √2 times ours; PAWN's last
# class lacks a point in SALib.
for design in ("lhs", "sobol"):
    runs = pq.read_table(f"{work}/{design}/runs.parquet").to_pandas()
    x, y = runs[names].to_numpy(), runs["y"].to_numpy()
    first = rbd_fast.analyze(problem, x, y, M=10, num_resamples=1000, seed=1)
    distribution = pawn.analyze(problem, x, y, S=10, seed=1)
    ranks = np.column_stack([rankdata(c) for c in x.T])
    standard = (ranks - ranks.mean(axis=0)) / ranks.std(axis=0)
    rank = rankdata(y)
    srrc = np.linalg.lstsq(standard, (rank - rank.mean()) / rank.std(), rcond=None)[0]
    rows = ours(design)
    for i, name in enumerate(names):
        row, error = rows[name, ""], first["S1_conf"][i]
        compare(f"{design} {name}", row, "first", first["S1"][i], error / np.sqrt(2), error)
        compare(f"{design} {name}", row, "srrc", srrc[i], 0, 1e-9)
        compare(f"{design} {name}", row, "pawn", distribution["median"][i], 0, 0.005)
