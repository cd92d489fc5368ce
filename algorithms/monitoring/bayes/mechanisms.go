package bayes

import "math"

// The mechanisms that can be switched off, to see what each is worth.
const (
	gridMechanism     = "grid"     // some rates for nodes of which little is known
	optimismMechanism = "optimism" // standard deviations in the index, on the grid
	oddsMechanism     = "odds"     // nodes that were replaced one by one are noticed
	alarmMechanism    = "alarm"    // all is forgotten after an untold switch
	fadingMechanism   = "fading"   // evidence fades
	priorMechanism    = "prior"    // the prior is learned
	bonusMechanism    = "bonus"    // nodes are explored, in disappear
	leaseMechanism    = "leases"   // polls are decided in advance
	waitMechanism     = "waits"    // waits and leases are short at first
)

// AllMechanisms is what New takes to switch off none.
const AllMechanisms = "nothing"

// Mechanisms lists what New takes; the first is the default.
func Mechanisms() []string {
	return []string{
		AllMechanisms, gridMechanism, optimismMechanism, oddsMechanism, alarmMechanism,
		fadingMechanism, priorMechanism, bonusMechanism, leaseMechanism, waitMechanism,
	}
}

// switchOff switches off a mechanism, or none.
func (l *Learner) switchOff(mechanism string) {
	switch mechanism {
	case gridMechanism:
		l.grid = nil
	case optimismMechanism:
		if l.grid != nil {
			l.grid.optimism = 0
			l.grid.learnIndices()
		}
	case oddsMechanism:
		l.changeRate = 0
	case alarmMechanism:
		l.alarm = math.Inf(1)
	case fadingMechanism:
		l.fadingRate = 0
	case priorMechanism:
		l.fixed = true
	case bonusMechanism:
		l.bonus = 0
	case leaseMechanism:
		l.leasable = 0
	case waitMechanism:
		l.patient = maxWait
	}
}
