package results

// Under a stopping rule a directory may hold rows that the rule does not ask
// for: runs had failed, their cell got more seeds in their place, and then
// they were repeated with success. A sweep in which nothing ever fails does
// not have such rows. The functions of this file forget them, so that the
// final files do not either; each returns how many rows it forgot. The
// tallies share their judge, and a run has succeeded if it has in one.

// forgetFailures forgets the failed runs that decided cells do not need.
func forgetFailures(tallies ...*tally) int {
	return forget(tallies, func(i int64, _ bool) bool { return !succeededIn(tallies, i) })
}

// forgetSuperfluous forgets all runs that decided cells do not need, unless
// one that they need has failed: when that is repeated, they may need more.
func forgetSuperfluous(tallies ...*tally) int {
	return forget(tallies, func(_ int64, settled bool) bool { return settled })
}

// forget forgets those runs that decided cells do not need of which which
// says so; settled tells whether all that the cell needs have succeeded.
func forget(tallies []*tally, which func(i int64, settled bool) bool) (rows int) {
	j := tallies[0].judge
	if j == nil {
		return 0
	}
	for cell, d := range j.of {
		needed, decided := j.needed(cell)
		if !decided || int64(len(d.values)) <= needed {
			continue
		}
		settled := true
		for seed := range needed {
			settled = settled && succeededIn(tallies, j.run(cell, seed))
		}
		for seed := needed; seed < int64(len(d.values)); seed++ {
			i := j.run(cell, seed)
			if d.values[seed] == absent || !which(i, settled) {
				continue
			}
			d.values[seed] = absent
			for _, t := range tallies {
				t.ok.clear(i)
				t.failed.clear(i)
			}
			rows++
		}
	}
	return rows
}

func succeededIn(tallies []*tally, i int64) bool {
	for _, t := range tallies {
		if t.ok.has(i) {
			return true
		}
	}
	return false
}
