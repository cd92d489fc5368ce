package monitoring

// The executions: how rates become polls.
const (
	independent = "independent" // each poll is drawn
	even        = "even"        // as evenly spaced as possible
)

// Executions lists the values of Config.Execution.
func Executions() []string { return []string{independent, even} }

// A solver returns the polls per slot of each node, in [0, 1], that an
// algorithm wants.
type solver func(k *known, capacity int) []float64

// executing returns a scheduler that solves for rates when it is told of
// the nodes, and executes them as the configuration wants it.
func (t *task) executing(solve solver) scheduler {
	if t.Execution == even {
		return newEvenly(t, solve)
	}
	return newIndependently(t, solve)
}
