package grid

import (
	"strings"
	"testing"

	"sweep/experiment"
)

const (
	head = "experiment = \"foraging\"\n" // line 1
	stop = "[stop]\nmetric = 'sent'\n"

	figure = "[[figure]]\nname = 'a'\n" // lines 2 and 3
)

// A search that is right, in parts.
const (
	searchHead = head + "[search]\nrounds = 2\npoints = 5\n" // lines 1 to 4
	freeY      = "[search.free]\ny = { from = 1, to = 9 }\n" // lines 5 and 6
	sealed     = "[search.sealed]\nseeds = '11..12'\n"       // lines 7 and 8
	wanted     = "[[search.target]]\nexpect = 'sent within 5% of 3'\n"
	whole      = searchHead + freeY + sealed + wanted
)

// faults are wrong specs, and what is said of them.
var faults = []struct{ text, want string }{
	// The file.
	{"", `1:1: no key "experiment", want one of foraging, recorded, plain` + "\nhint: add a line above all tables such as: experiment = \"foraging\""},
	{"Experiment = 'foraging'", `1:1: no key "experiment", but "Experiment"` + "\nhint: did you mean \"experiment\"?"},
	{"experiment = 'foragin'", `1:14: unknown experiment "foragin", want one of foraging, recorded, plain` + "\nhint: did you mean \"foraging\"?"},
	{"experiment = 3", "1:14: experiment is the integer 3, want one of foraging, recorded, plain"},
	{head + "a = \n", "2:5: "},

	// Keys.
	{head + strings.Repeat("x", 90) + " = 3", "2:1: unknown key \"" + strings.Repeat("x", 60) + "\", want name, title, description, "}, {head + "sedes = 3", `2:1: unknown key "sedes", want name, title, description, experiment, seeds, grid, sample, stop, resources, paper, claim, figure, inputs, bought, search, searched` + "\nhint: did you mean \"seeds\"?"},
	{head + "alpha = 0.1", `2:1: unknown key "alpha", want name, title, description, experiment, seeds, grid, sample, stop, resources, paper, claim, figure, inputs, bought, search, searched` + "\nhint: alpha belongs below [grid]"},
	{head + "name = 3", "2:8: name is the integer 3, want letters, digits, "},
	{head + "name = '../x'", `2:8: name is the string "../x", want letters, digits, `},
	{head + "name = ''", `2:8: name is the string "", want letters`},
	{head + "name = '-x'", `2:8: name is the string "-x", want letters`},
	{head + "name = 'x.'", `2:8: name is the string "x.", want letters`},
	{head + "paper = 'table2'", `2:9: paper is the string "table2", want a table`},
	{head + "[paper]\ntable = 'table3'", `3:9: unknown table "table3", want one of table2` + "\nhint: did you mean \"table2\"?"},
	{head + "[paper]\ntabel = 'table2'", `3:1: unknown key "tabel", want table, over` + "\nhint: did you mean \"table\"?"},
	{head + "[paper]\nover = ['bta']", `3:9: foraging has no parameter "bta"` + "\nhint: did you mean \"beta\"?"},
	{head + "[paper]\nover = 'beta'", `3:8: over is the string "beta", want a list of parameters`},
	{"experiment='plain'\n[paper]\ntable = 'table2'", `3:9: table is the string "table2", but plain has no tables`},

	// Figures, and what is said of the sweep.
	{head + "title = 3", "2:9: title is the integer 3, want a text"},
	{head + "description = ' '", `2:15: description is the string " ", want a text`},
	{head + "figure = 3", "2:10: figure is the integer 3, want at most 100 tables such as [[figure]]"},
	{head + "figure = [3]", "2:11: figure holds the integer 3, want tables such as [[figure]]"},
	{head + "[[figure]]\nx = 'N'", "2:3: the figure has no name, by which commands and files call it"},
	{head + "[[figure]]\nname = 'a/b'", `3:8: name is the string "a/b", want letters, digits, `},
	{head + figure + "color = 'N'", `4:1: unknown key "color", want name, title, source, kind, x, y, colour, panels, over, along, log, limits, shared, hold, labels, right` + "\nhint: did you mean \"colour\"?"},
	{head + figure + "kind = 'line'", `4:8: unknown kind "line", want one of lines, scatter, heat, distribution, areas` + "\nhint: did you mean \"lines\"?"},
	{head + figure + "x = 'x'\ny = ['sent', 'snt']", `5:14: figure "a": y names "snt", want a metric: sent` + "\nhint: did you mean \"sent\"?"},
	{head + figure + "x = 'beata'\ny = 'sent'", `4:5: figure "a": x names "beata", want a numeric parameter, a metric, or the axis of the series: alpha, beta, gamma, N, f, x, y, sent` + "\nhint: did you mean \"beta\"?"},
	{head + figure + "x = 'rhythm'\ny = 'sent'", `4:5: figure "a": x names "rhythm", want a numeric parameter`},
	{head + figure + "x = ['x', 'x']\ny = 'sent'", `4:11: x names "x" twice`},
	{head + figure + "x = 3", "4:5: x is the integer 3, want a name, or a list of names"},
	{head + figure + "x = 'x'", `2:3: figure "a": there is no y, want metrics`},
	{head + figure + "y = 'sent'", `2:3: figure "a": there is no x, and no series that could be shown without`},
	{head + figure + "kind = 'scatter'\ny = 'sent'", `2:3: figure "a": there is no x, want a numeric parameter or a metric`},
	{head + figure + "kind = 'heat'\ncolour = 'sent'\ny = 'x'", `2:3: figure "a": there is no x, and a heat figure with y needs a parameter there`},
	{head + figure + "kind = 'heat'\ncolour = 'x'\nx = 'x'\ny = 'y'", `5:10: figure "a": colour names "x", want a metric: sent`},
	{head + figure + "kind = 'heat'\nx = ['x', 'N']\ny = 'y'", `5:5: figure "a": x has 2 names, want one parameter`},
	{head + figure + "kind = 'distribution'\nx = 'x'\ny = 'sent'", `5:5: figure "a": a distribution has no x`},
	{head + figure + "kind = 'areas'\nx = 'x'\ny = 'sent'", `5:5: figure "a": areas have no x`},
	{head + figure + "kind = 'heat'\ncolour = 'sent'", `5:10: figure "a": colour names "sent", want a column of the series, or a metric with an x: there is none`},
	{head + figure + "x = 'x'\ny = 'sent'\nright = 'sent'", `6:9: figure "a": right is for lines of a series with one column y and no colour`},
	{head + figure + "x = 'x'\ny = 'sent'\nover = ['N', 'x']", `6:8: figure "a": over names x, whose values the figure shows, want another parameter`},
	{head + figure + "x = 'x'\ny = 'sent'\nlog = 'x'\n[grid]\nx = [0, 1]", `6:7: figure "a": x has the value 0, want positive numbers on a logarithmic axis`},
	{head + figure + "x = 'y'\ny = 'sent'\nlog = ['y']\nlimits = { y = [0, 1] }", `7:10: figure "a": limits of y begin at 0, want a positive number on a logarithmic axis`},
	{head + figure + "x = 'y'\ny = 'sent'\nlog = 'z'", `6:7: figure "a": log names "z", want an axis: x, y`},
	{head + figure + "x = 'y'\ny = 'sent'\nlimits = { y = [2, 1] }", `6:10: figure "a": limits of y are 2 and 1, want the smaller first`},
	{head + figure + "x = 'y'\ny = 'sent'\nlimits = { z = [2, 1] }", `6:12: unknown key "z", want x, y`},
	{head + figure + "x = 'y'\ny = 'sent'\nlimits = { x = [2] }", `6:16: x is a list, want two numbers such as [0, 1]`},
	{head + figure + "x = 'y'\ny = 'sent'\nlimits = { x = [2, 'a'] }", `6:20: x holds the string "a", want a finite number`},
	{head + figure + "x = 'y'\ny = 'sent'\nhold = 1", `6:8: hold is the integer 1, want true or false`},
	{head + figure + "x = 'y'\ny = 'sent'\nhold = true", `6:8: figure "a": hold is for lines of a series, which have no x`},
	{head + figure + "x = 'y'\ny = 'sent'\nlabels = { snt = 'a' }", `6:12: labels: nothing is called "snt", want a parameter, a metric or a column of the series` + "\nhint: did you mean \"sent\"?"},
	{head + figure + "x = 'y'\ny = 'sent'\n" + figure + "x = 'y'\ny = 'sent'", `7:8: there are two figures "a", want other names`},
	{head + figure + "kind = 'lines'\nx = 'x'\ny = 'sent'\n[sample]\ndesign = 'lhs'\npoints = 8\n[grid]\nx = { from = 0, to = 1 }", `5:5: figure "a": x is sampled, and lines would join single points, want kind = "scatter"`},

	// Resources.
	{head + "resources = 3", "2:13: resources is the integer 3, want a table such as [resources]"},
	{head + "[resources]\ncpu = 3", "3:1: unknown key \"cpu\", want cpus, memory, gpus, time\nhint: did you mean \"cpus\"?"},
	{head + "[resources]\ncpus = 0", "3:8: cpus is the integer 0, want an integer of at least 1"},
	{head + "[resources]\ncpus = '2'", "3:8: cpus is the string \"2\", want an integer of at least 1"},
	{head + "[resources]\ngpus = 0.5", "3:8: gpus is the number 0.5, want an integer of at least 1"},
	{head + "[resources]\nmemory = 4", "3:10: memory is the integer 4, want an amount such as \"4G\""},
	{head + "[resources]\nmemory = '4 x'", "3:10: memory is the string \"4 x\", want an amount such as \"4G\""},
	{head + "[resources]\nmemory = '0'", "3:10: memory is the string \"0\", want an amount such as \"4G\""},
	{head + "[resources]\nmemory = []", "3:10: memory is an empty list, want at least one amount"},
	{head + "[resources]\nmemory = ['4G', 16]", "3:17: memory holds the integer 16, want an amount such as \"4G\""},
	{head + "[resources]\nmemory = ['4G', '4000M']", "3:17: memory goes from 4.0 GB to 4.0 GB, want larger and larger amounts"},
	{head + "[resources]\ntime = 3600", "3:8: time is the integer 3600, want a duration such as \"90s\" or \"1h\""},
	{head + "[resources]\ntime = '1d'", "3:8: time is the string \"1d\", want a duration such as \"90s\" or \"1h\""},
	{head + "[resources]\ntime = '-1h'", "3:8: time is the string \"-1h\", want a duration such as \"90s\" or \"1h\""},

	// Seeds.
	{head + "seeds = 0", "2:9: seeds is 0, want at least 1"},
	{head + "seeds = -1", "2:9: seeds is -1, want at least 1"},
	{head + "seeds = 18446744073709551615", "2:9: 18446744073709551615 is out of range for int64"},
	{head + "seeds = 1\nSeeds = 2", "3:1: unknown key \"Seeds\", want name"},
	{head + "seeds = 1e6", "2:9: seeds is the number 1e+06, want 30, "},
	{head + "seeds = true", "2:9: seeds is the boolean true, want 30, "},
	{head + "seeds = []", "2:9: seeds is an empty list"},
	{head + "seeds = [1, 2, -3]", "2:16: seeds holds the integer -3, want an integer of at least 0"},
	{head + "seeds = [1, 'x']", `2:13: seeds holds the string "x", want an integer`},
	{head + "seeds = [1, 2, 1]", "2:16: seed 1 is listed twice, first at 2:10"},
	{head + "seeds = '3..1'", `2:9: seeds is the string "3..1", want a range such as "1..30"`},
	{head + "seeds = '-3..1'", `2:9: seeds is the string "-3..1", want a range`},
	{head + "seeds = '0..9223372036854775807'", "2:9: seeds is "},
	{head + "seeds = '1..9223372036854775808'", "2:9: seeds is "},
	{head + "seeds = 9223372036854775808", "2:9: "},
	{head + "seeds = { from = -1, count = 3 }", "2:18: from is the integer -1, want an integer of at least 0"},
	{head + "seeds = { from = 1, count = 0 }", "2:29: count is the integer 0, want an integer of at least 1"},
	{head + "seeds = { from = 1 }", `2:9: seeds has no "count"`},
	{head + "seeds = { from = 2, count = 9223372036854775807 }", "2:29: 9223372036854775807 seeds from 2 go beyond 2^63-1"},
	{head + "seeds = { from = 1, until = 3 }", `2:21: unknown key "until", want from, count, to`},
	{head + "seeds = { from = 1, count = 2, to = 3 }", `2:32: seeds has both "count" and "to", want one`},
	{head + "seeds = { from = 3, to = 2 }", "2:26: to is the integer 2, want an integer of at least 3"},
	{head + "seeds = { from = 0, to = 9223372036854775807 }", "2:26: seeds from 0 to 9223372036854775807 are more than 2^63-1"},

	// The stopping rule.
	{head + "stop = 3", "2:8: stop is the integer 3, want a table such as [stop] with the keys metric and half_width"},
	{head + "bought = 3", "2:10: bought is the integer 3, want a table such as [bought]"},
	{head + "[bought]", "2:2: bought has no \"seeds\", want a table such as [bought]"},
	{head + "[bought]\nseed = [3]", "3:1: unknown key \"seed\", want seeds\nhint: did you mean \"seeds\"?"},
	{head + "[bought]\nseeds = 3", "3:9: seeds is the integer 3, want a list of the number of seeds of each cell"},
	{head + "[bought]\nseeds = [3, 3]", "3:9: bought has the seeds of 2 cells, and the sweep has 1\nhint: after a change"},
	{head + "seeds = 5\n[bought]\nseeds = [3]", "4:10: seeds holds the integer 3, want an integer of at least 5"},
	{head + "[bought]\nseeds = [2000000000]", "3:10: bought holds 2000000000, want at most 1000000000"},
	{head + stop + "half_width = 1\nmax = 20\n[bought]\nseeds = [20]", "6:2: the spec has [stop] too, whose rule gives cells their seeds"},
	{head + "[stop]\nmin = 3", "2:2: the rule has no metric, want one of "},
	{head + "[stop]\nmetric = 3", "3:10: metric is the integer 3, want one of "},
	{head + "[stop]\nmetric = 'score'", "3:10: unknown metric \"score\", want one of "},
	{head + stop, "2:2: the rule has no half_width, want a number above 0 in the metric's unit, or a share of the mean such as \"1%\""},
	{head + stop + "half_width = 0", "4:14: half_width is the integer 0, want a number above 0"},
	{head + stop + "half_width = '1'", "4:14: half_width is the string \"1\", want a number above 0"},
	{head + stop + "half_width = '-1%'", "4:14: half_width is the string \"-1%\", want a number above 0"},
	{head + stop + "half_width = nan", "4:14: half_width is the number NaN, want a number above 0"},
	{head + stop + "half_width = 1", "2:2: the rule has no max, and the spec no seeds: one of them has to end the sweep\nhint: add a line such as: max = 1000"},
	{head + stop + "half_width = 1\nmax = 9", "5:7: max is the integer 9, want an integer of at least 10"},
	{head + stop + "half_width = 1\nmin = 1", "5:7: min is the integer 1, want an integer of at least 2"},
	{head + stop + "half_width = 1\nmax = 1e3", "5:7: max is the number 1000, want an integer of at least 10"},
	{head + stop + "half_width = 1\nconfidence = 95", "5:14: confidence is the integer 95, want a number in (0, 1)"},
	{head + stop + "half_width = 1\nhalfwidth = 1", "5:1: unknown key \"halfwidth\", want metric, half_width, confidence, min, max\nhint: did you mean \"half_width\"?"},
	{head + "seeds = 30\n" + stop + "half_width = 1\nmax = 31", "6:7: max is 31, but there are 30 seeds\nhint: leave out the seeds, or max, which then is their number"},
	{head + stop + "half_width = 1\nmax = 9223372036854775807\n[grid]\nx = [1, 2]", "2:2: 2 cells with 9223372036854775807 seeds each are more than 2^63-1 runs"},
	{head + "seeds = 9\n" + stop + "half_width = 1", "3:2: a cell gets at least 10 seeds (min), but there are 9"},

	// Parameters and values.
	{head + "[grid]\nAlpha = 0.1", `3:1: unknown key "Alpha", foraging has no such parameter` + "\nhint: did you mean \"alpha\"?"},
	{head + "[grid]\nalpha = 0.1\nAlpha = 0.1", `4:1: unknown key "Alpha", foraging has no such parameter` + "\nhint: did you mean \"alpha\"?"},
	{head + "[grid]\nalpha.x = 0.1\nalpha = 0.1", "4:1: key 'alpha' has already been defined"},
	{head + "[grid]\n" + strings.Repeat("x.", 8) + "x = 1", "3:17: a dotted key has more than 8 parts"},
	{head + "[grid]\nseeds = 3", `3:1: unknown key "seeds", foraging has no such parameter` + "\nhint: seeds belongs above the first [grid]"},
	{head + "[grid]\nnonsense = 3", `3:1: unknown key "nonsense", foraging has no such parameter` + "\nhint: sweep params foraging lists the parameters"},
	{head + "[grid]\nalpha = [0.1,\n 1.5]", "4:2: alpha is 1.5, want a number in [0, 1]"},
	{head + "[grid]\nalpha = nan", "3:9: alpha is NaN, want a number in [0, 1]"},
	{head + "[grid]\nalpha = -inf", "3:9: alpha is -Inf, want a number in [0, 1]"},
	{head + "[grid]\nalpha = '0.1'", `3:9: alpha is the string "0.1", want a number in [0, 1]`},
	{head + "[grid]\nalpha = [[0.1]]", "3:10: alpha is a list, want a number in [0, 1]"},
	{head + "[grid]\nalpha = 1979-05-27", "3:9: alpha is a date or time, want a number in [0, 1]"},
	{head + "[grid]\nx = 9007199254740993", "3:5: x is 9007199254740993, which a 64-bit float cannot hold exactly"},
	{head + "[grid]\nN = 8.0", "3:5: N is the number 8, want an integer in [1, "},
	{head + "[grid]\nN = 0", "3:5: N is 0, want an integer in [1, "},
	{head + "[grid]\nrewired = 'yes'", `3:11: rewired is the string "yes", want true or false`},
	{head + "[grid]\nalgorithm = ['RL', 'Wl']", `3:20: algorithm is "Wl", want one of RL, WL, WLRL, CGLA, FPA` + "\nhint: did you mean \"WL\"?"},
	{head + "[grid]\nx = []", "3:5: x has no values, want at least one"},
	{head + "[grid]\nx = [1, 2, 1.0]", "3:12: x has the value 1 twice, first at 3:6"},
	{head + "[grid]\nx = [0.0, -0.0]", "3:11: x has the value 0 twice, first at 3:6"},

	// Ranges.
	{head + "[grid]\nx = { from = 1, step = 1 }", `3:5: the range of x has no "to"`},
	{head + "[grid]\nx = { from = 1, to = 2, step = 1, count = 2 }", `3:35: the range of x has both "step" and "count", want one of step, factor, count`},
	{head + "[grid]\nx = { from = 1, to = 2, stpe = 1 }", `3:25: unknown key "stpe", want from, to, step, factor, count, scale` + "\nhint: did you mean \"step\"?"},
	{head + "[grid]\nx = { from = 0.5, to = 0.95, step = 0.1 }", "3:37: x: steps of 0.1 from 0.5 do not hit 0.95, the nearest are 0.9 and 1"},
	{head + "[grid]\nx = { from = 1, to = 2, step = inf }", "3:32: step is the number +Inf, want a finite number"},
	{head + "[grid]\nx = { from = 1, to = 2, count = 2.0 }", "3:33: count is the number 2, want an integer of at least 1"},
	{head + "[grid]\nx = { from = 1, to = 2, count = -1 }", "3:33: count is the integer -1, want an integer of at least 1"},
	{head + "[grid]\nx = { from = 1, to = 2, count = 3, scale = 'ln' }", `3:44: scale is the string "ln", want "log" or "linear"`},
	{head + "[grid]\nx = { from = 1, to = 2, step = 1, scale = 'log' }", "3:35: scale needs a count, but the range has a step"},
	{head + "[grid]\nx = { from = -1, to = 2, count = 3, scale = 'log' }", "3:34: x: log spacing from -1 to 2, want two positive numbers"},
	{head + "[grid]\nalpha = { from = 0.5, to = 1.5, step = 0.5 }", "3:28: alpha is 1.5, want a number in [0, 1]"},
	{head + "[grid]\nN = { from = 1, to = 2, step = 0.5 }", "3:32: N: 1.5 is not whole, want integers"},
	{head + "[grid]\nrhythm = { from = 1, to = 2, step = 1 }", "3:10: rhythm is a table, want one of flat, daily, weekly, 7, or a list"},
	{head + "[grid]\nx = '1..2'", `3:5: x is the string "1..2", want a number in `},
	{head + "[grid]\nN = '8'", `3:5: N is the string "8", want an integer in [1, 9007199254740992], or a range such as "1..12"`},
	{head + "[grid]\nN = '0..3'", "3:5: N is 0, want an integer in [1, "},
	{head + "[grid]\nN = '1..1099511627776'", "3:5: N: 1099511627776 values are too many, want at most 4194304"},
	{head + "[grid]\nalgorithm = 'CGLA'\nN = [1, 2]\nexclude = [{ N = '1..2' }]", `5:18: N is the string "1..2", want an integer in`},

	// Blocks.
	{head + "grid = 3", "2:8: grid is the integer 3, want a table such as [grid]"},
	{head + "grid = [3]", "2:9: grid holds the integer 3, want a table such as [grid]"},
	{head + "grid = []", "2:8: grid is an empty list, want at least one block"},
	{head + strings.Repeat("[[grid]]\n", 257), "258:3: grid has 257 blocks, want at most 256"},
	{head + "[grid]\nx = { from = 1, to = 3000, step = 1 }\ny = { from = 1, to = 3000, step = 1 }", "2:2: the grid has 9000000 cells up to here, want at most 4194304\nhint: a cell is one combination of values, with all of its seeds"},
	{head + "seeds = 9223372036854775807\n[grid]\nx = [1, 2]", "2:9: 2 cells with 9223372036854775807 seeds each are more than 2^63-1 runs"},
	{head + "[[grid]]\nx = { from = 1, to = 2000, step = 1 }\ny = { from = 1, to = 2000, step = 1 }\n[[grid]]\nN = { from = 1, to = 200000 }\nalgorithm = 'CGLA'", "5:3: the grid has 4200000 cells up to here"},
	{head + "[grid]\nalgorithm = ['RL', 'WL', 'FPA']\nN = '1..2000'\nf = { from = 0, to = 1, count = 2000 }\nalpha = { from = 0, to = 1, count = 50000 }\nbeta = { from = 0, to = 1, count = 50000 }", "2:2: the block has 3e+16 combinations of values, want at most 2^53\nhint: give each algorithm"},

	// Zips.
	{head + "[grid]\nx = [1, 2]\ny = [1, 2]\nzip = ['x', 'y']", `5:8: zip holds the string "x", want lists of axes, for example zip = `},
	{head + "[grid]\nzip = 3", "3:7: zip is the integer 3, want lists of axes"},
	{head + "[grid]\nx = [1, 2]\nzip = [['x']]", "4:8: zip of 1 axes, want at least 2"},
	{head + "[grid]\nx = [1, 2]\ny = [1, 2, 3]\nzip = [['x', 'y']]", "5:14: zip of 2 values of x with 3 of y, want equal lengths"},
	{head + "[grid]\nx = [1, 2]\ny = 3\nzip = [['x', 'y']]", `5:14: zip names "y", which is no axis of this block, whose axes are: x`},
	{head + "[grid]\nx = [1, 2]\ny = [1, 2]\nzip = [['x', 'y'], ['y', 'x']]", `5:21: zip names "y" twice`},
	{head + "[grid]\nx = [1, 2]\nzip = [[1, 'x']]", "4:9: zip holds the integer 1, want axes"},
	{head + "[grid]\nx = [1, 2, 1]\ny = [3, 2, 3]\nzip = [['x', 'y']]", "3:12: the zip with x has the same values at 3:6 already"},

	// Excludes and includes.
	{head + "[grid]\nx = [1, 2]\nexclude = { x = 1 }", "4:11: exclude is a table, want a list of tables, for example exclude = "},
	{head + "[grid]\nx = [1, 2]\nexclude = [1]", "4:12: exclude holds the integer 1, want a list of tables"},
	{head + "[grid]\nx = [1, 2]\nexclude = [{}]", "4:12: an exclude without parameters drops every point"},
	{head + "[grid]\nx = [1, 2]\nexclude = [{ x = 1 }, { x = 3 }]", "4:23: the exclude matches nothing\nhint: x is 1, 2 in this block, never 3"},
	{head + "[grid]\nx = [1, 2]\nexclude = [{ rewired = true }]", "4:12: the exclude matches nothing\nhint: rewired is false in this block, never true"},
	{head + "[grid]\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]\nexclude = [{ alpha = 0.1, algorithm = 'WL' }]", "5:12: the exclude matches nothing\nhint: no point of this block has, and uses, all these values together"},
	{head + "[grid]\nx = [1, 2]\nexclude = [{ z = 1 }]", `4:14: unknown key "z", foraging has no such parameter`},
	{head + "[grid]\nx = [1, 2]\nexclude = [{ x = [1] }]", "4:18: x is a list, want a number in [-1000000000, 1000000000]"},
	{head + "[grid]\nx = [1, 2]\nexclude = [{ x = 1 }, { x = 2 }]", "2:2: no points are left, all are excluded"},
	// Searches.
	{head + "search = 3", "2:10: search is the integer 3, want a table such as [search] with rounds, points"},
	{searchHead, `2:2: the search has no "free", want a table such as [search]`},
	{head + "[search]\nround = 3", "3:1: unknown key \"round\", want rounds, points, seed, spread, free, sealed, target\nhint: did you mean \"rounds\"?"},
	{head + "[search]\nrounds = 99\npoints = 3\n" + freeY + sealed + wanted, "3:10: rounds is 99, want at most 64"},
	{head + "[search]\nrounds = 9\npoints = 2\n" + freeY + sealed + wanted, "4:10: points is the integer 2, want an integer of at least 3"},
	{searchHead + "spread = 0.6\n" + freeY + sealed + wanted, "5:10: spread is the number 0.6, want a number above 0, at most 0.5"},
	{searchHead + "[search.free]\n" + sealed + wanted, "5:9: free is a table, want a table such as [search.free] with at least one"},
	{searchHead + "[search.free]\nz = { from = 1, to = 9 }\n" + sealed + wanted, "6:1: unknown key \"z\", foraging has no such parameter"},
	{searchHead + "[search.free]\nrhythm = { from = 1, to = 9 }\n" + sealed + wanted, "6:10: rhythm is no number, and cannot be free"},
	{searchHead + "[search.free]\ny = [1, 9]\n" + sealed + wanted, "6:5: y is a list, want a range such as { from = 1, to = 9, start = 3 }"},
	{searchHead + "[search.free]\ny = { from = 1 }\n" + sealed + wanted, "6:5: the range of y has no \"to\", want a range"},
	{searchHead + "[search.free]\ny = { from = 9, to = 1 }\n" + sealed + wanted, "6:5: y goes from 9 to 1, want a larger \"to\""},
	{searchHead + "[search.free]\nalpha = { from = 0.5, to = 1.5 }\n" + sealed + wanted, "6:28: alpha is 1.5, want a number in [0, 1]"},
	{searchHead + "[search.free]\ny = { from = 1, to = 9, start = 10 }\n" + sealed + wanted, "6:33: y starts at 10, outside of its range, 1 to 9"},
	{searchHead + "[search.free]\ny = { from = 1, to = 9, scale = 'odds' }\n" + sealed + wanted, "6:33: a range from 1 to 9 has no scale \"odds\""},
	{searchHead + freeY + "[search.sealed]\n" + wanted, "7:9: [search.sealed] has no \"seeds\": those of the judgement"},
	{searchHead + freeY + "[search.sealed]\nseeds = '1..3'\n" + wanted, "8:9: seed 1 is sealed, and is one of the search's seeds"},
	{searchHead + freeY + sealed + "x = [2, 0]\n" + wanted, "9:5: x = 0 is sealed, and the search uses it\nhint: what is judged must not have been searched with"},
	{searchHead + freeY + sealed + "y = 2\n" + wanted, "9:1: y is free in [search], and cannot be sealed"},
	{searchHead + freeY + sealed + "[[search.target]]\nweight = 3", "9:10: the target has no key \"expect\": what is wanted"},
	{whole + "weight = -1", "11:10: weight is the integer -1, want a number of at least 0"},
	{whole + "weight = 0", "9:10: all targets have a weight of 0, want one to fit"},
	{whole + "[grid]\ny = 3", "12:1: y is free in [search], and has a value here, want one of both"},
	{whole + "[grid]\ninclude = [{ x = 3 }]", "12:12: include does not go with [search]"},
	{searchHead + "[search.free]\nbeta = { from = 0.1, to = 0.2 }\n" + sealed + wanted, "6:1: beta is free, but nothing uses it\nhint: beta is used by WL, WLRL"},
	{whole + "[grid]\nalgorithm = 'RL'\nbeta = [0.1, 0.2]", "13:1: beta is an axis, but not used by RL"},
	{whole + stop + "half_width = 1\nmax = 9", "11:2: stop does not go with [search]\nhint: it can stand in a spec of its own"},
	{whole + "[[claim]]\ntext = 'x'\nsource = 'y'\nexpect = 'sent > 3'", "11:3: claim does not go with [search]"},
	{head + "[searched]\nfound = [1]", "2:2: the spec has no [search]\nhint: delete [searched], which records its rounds"},
	{whole + "[searched]\nfound = [1, 2]", "12:9: found has 2 numbers, and [search.free] 1 parameters\nhint: delete [searched]"},
	{whole + "[searched]\nfound = [10]", "12:10: found holds 10, outside of its range, 1 to 9"},
	{whole + "[searched]\nrounds = [{ centre = [2], spread = 0.1 }, { centre = [2], spread = 0.1 }]", "11:2: searched has 3 rounds, and rounds is 2"},
	{whole + "[searched]\nrounds = [{ centre = [2] }]", "12:11: the round has no centre, or no spread, want both"},

	{head + "[grid]\nx = [1, 2]\ninclude = [{ algorithm = 'WL', alpha = 0.1 }]", "4:32: this point includes alpha, but its algorithm WL does not use it\nhint: alpha is used by RL, WLRL"},
}

// TestFaults: each fault has its position, what was found, what is wanted.
func TestFaults(t *testing.T) {
	for _, c := range faults {
		got := faultOf(c.text, experiments())
		if got == "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("in %.200s\n got %s\nwant %s", c.text, got, c.want)
		}
		if message, hint, hinted := strings.Cut(got, "\n"); strings.HasSuffix(message, ".") || hinted && !strings.HasPrefix(hint, "hint: ") {
			t.Errorf("form of %q", got)
		}
	}
}

func TestName(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"sweeps/table2.toml", "", "table2"},
		{"sweeps/table2.toml", "name = 'mine'\n", "mine"},
		{"table-2.v1", "", "table-2"},
		{"my sweep.toml", "name = 'my-sweep'\n", "my-sweep"},
	} {
		s, err := Parse(c.file, []byte(c.text+"experiment='plain'"), experiments())
		if err != nil || s.Name != c.want || s.File != c.file || s.Experiment.Name != "plain" {
			t.Errorf("%s: %v, %v, want name %s", c.file, s, err, c.want)
		}
	}
	_, err := Parse("my sweep.toml", []byte("experiment='plain'"), experiments())
	if err == nil || !strings.HasPrefix(err.Error(), `my sweep.toml:1:1: the file's name "my sweep" is no name for a sweep`) {
		t.Errorf("got %v", err)
	}
}

// detail returns a fault and, on a second line, its hint if it has one.
func (e *Error) detail() string {
	return strings.TrimSuffix(e.Error()+"\nhint: "+e.Hint, "\nhint: ")
}

// faultOf reads a spec and returns its fault, with its hint and without the
// file's name; empty if there is none.
func faultOf(text string, list []*experiment.Experiment) string {
	_, err := Parse("dir/t.toml", []byte(text), list)
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.(*Error).detail(), "dir/t.toml:")
}

// refuses reads specs that must fail with faults that begin so.
func refuses(t *testing.T, faults map[string]string) {
	t.Helper()
	for text, want := range faults {
		if got := faultOf(head+text, experiments()); got == "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
