package monitoring

import (
	"context"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// Run simulates an algorithm on a world. The world must be drawn from
// config.World with the same seed, or be a replay that has the nodes and the
// capacity of config.World and at least config.Slots slots; a replay cannot
// switch. The result is a pure function of the arguments. Run returns early,
// with the error of ctx, when ctx ends.
func Run(
	ctx context.Context, world *sources.World, config Config, seed int64,
) (*Measurements, error) {
	if err := config.CheckCapacity(); err != nil {
		return nil, err
	}
	if err := config.CheckWarmup(); err != nil {
		return nil, err
	}
	s := newSimulation(world, &config, seed)
	for slot := range config.Slots {
		if slot%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.step()
		if config.Model != sources.Disappear && slot >= config.Warmup && slot%sampling == 0 {
			s.fresh += s.environment.Freshness()
			s.samples++
		}
		if (slot+1)%s.interval == 0 {
			s.close(s.environment.Retrieved())
		}
	}
	return s.measure(world.Total), nil
}

// simulation is a run under way, with sums of what happened in it, over
// intervals of equal length.
type simulation struct {
	config      *Config
	environment *sources.Environment
	scheduler   scheduler
	polls, hits bitset.Set
	signals     bitset.Set
	draw        func(signals, updates bitset.Set) // nil: there are no signals

	interval int // slots
	sums     []totals
	open     totals // of the interval under way

	fresh   float64 // Σ of the samples of freshness
	samples int
}

func newSimulation(world *sources.World, config *Config, seed int64) *simulation {
	s := &simulation{
		config:      config,
		environment: sources.NewEnvironment(world, config.Model, config.SwitchEvery),
		polls:       bitset.NewSet(config.World.Nodes),
		hits:        bitset.NewSet(config.World.Nodes),
		signals:     bitset.NewSet(config.World.Nodes),
		interval:    config.interval(),
	}
	switch {
	case config.Algorithm.Observed:
		s.draw = func(signals, updates bitset.Set) { copy(signals, updates) }
	case config.Signals != (Signals{}):
		s.draw = config.Signals.source(config.World.Nodes, seed)
	}
	told := *config
	if !config.Algorithm.Truth {
		told.Signals = Signals{} // how good they are is hidden, too
	}
	s.scheduler = config.Algorithm.start(&task{
		Config:  &told,
		random:  randomWords{words: rng.NewWords("monitoring", uint64(seed))},
		signals: s.signals,
	})
	s.begin()
	return s
}

// begin tells the algorithm what it may know of the nodes.
func (s *simulation) begin() {
	w := s.environment.World()
	k := known{importance: w.Importance, cost: w.Cost, host: w.Host}
	if s.config.Algorithm.Truth {
		k.p = w.P
	}
	s.scheduler.begin(k)
}

// step simulates a slot: updates, then polls, then feedback.
func (s *simulation) step() {
	if s.environment.Next() {
		s.begin()
	}
	if s.draw != nil {
		s.draw(s.signals, s.environment.Updates())
	}
	dropped := s.scheduler.choose(s.polls)
	s.environment.Poll(s.polls, s.hits)
	s.scheduler.learn(s.polls, s.hits)

	s.open.load += s.environment.World().Cost.Load(s.polls)
	s.open.polls += float64(s.polls.Len())
	s.open.dropped += float64(dropped)
}
