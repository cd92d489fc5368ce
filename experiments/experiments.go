// Package experiments declares the experiments: each joins algorithms and an
// environment to the engine by one experiment.Experiment.
//
// A new experiment is a file with its declaration and a line in
// Experiments.
package experiments

import (
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// The model versions: raise one with any change that can alter a bit of a
// result.
const (
	ancestorsVersion       = 1 // of point location and equipartition
	calibrationVersion     = 1
	foragingVersion        = 6
	monitoringVersion      = 17
	newsCalibrationVersion = 1
	newsForagersVersion    = 5
	sourcesVersion         = 1
	structureVersion       = 5
	webVersion             = 5
)

// Experiments returns the declarations of all experiments, each with its own
// caches. shipped holds the files that come with the program, by the paths in
// its specs; it may be nil.
func Experiments(shipped history.Files) []*experiment.Experiment {
	return []*experiment.Experiment{
		Foraging(shipped),
		NewsForagers(shipped),
		NewsDivision(shipped),
		Web(shipped),
		Structure(shipped),
		Calibration(shipped),
		NewsCalibration(shipped),
		Monitoring(shipped),
		Sources(),
		PointLocation(),
		Equipartition(),
	}
}
