package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"sweep/experiment"
	"sweep/internal/disk"
)

// OpenReaderAsRecorded opens a directory as OpenReader does, but also if its
// runs are of another model version than the experiment has now, or have other
// parameters and metrics. They can be read, and not be repeated.
func OpenReaderAsRecorded(dir string, experiments []*experiment.Experiment) (*Reader, error) {
	d, err := disk.Open(dir)
	if err != nil {
		return nil, err
	}
	var recorded *header
	_ = eachPart(d, func(in disk.Dir) error { // readerOf reports what is wrong
		l, err := openLog(in)
		if l == nil || err != nil {
			return err
		}
		if h := l.firstHeader(); h != nil {
			recorded = h
		}
		return l.file.Close()
	})
	r, err := readerOf(d, recorded.declarations(experiments))
	return r, errors.Join(err, d.Close())
}

// firstHeader reads the header at the beginning of a log; it is nil if that is
// corrupt.
func (l *log) firstHeader() *header {
	size, err := disk.Size(l.file)
	if err != nil {
		return nil
	}
	lines := bufio.NewReader(io.NewSectionReader(l.file, 0, min(size, maxRecord)))
	line, _ := lines.ReadBytes('\n') // what is not whole has no checksum
	content, whole := unseal(line[:max(0, len(line)-1)], lineEnd)
	h := new(header)
	if !whole || json.Unmarshal(append(slices.Clip(content), '}'), h) != nil {
		return nil
	}
	return h
}

// declarations returns experiments with the declaration of the recorded one as
// it was then. The header may be nil.
func (h *header) declarations(experiments []*experiment.Experiment) []*experiment.Experiment {
	if h == nil {
		return experiments
	}
	i := slices.IndexFunc(experiments, func(e *experiment.Experiment) bool {
		return e.Name == h.Experiment
	})
	if i < 0 {
		return experiments
	}
	recorded := h.recorded
	if experiments[i].Declare != nil {
		recorded = h.declaring
	}
	all := slices.Clone(experiments)
	all[i] = recorded(experiments[i])
	return all
}

// declaring returns an experiment whose declaration a spec makes, so that it
// makes that of the recorded version. Parameters that the spec names stay: it
// may be a later one than that of the header.
func (h *header) declaring(now *experiment.Experiment) *experiment.Experiment {
	if h.fits(now, "") == nil {
		return now
	}
	e := *now
	e.Version = h.Version
	e.Declare = func(r *experiment.Request) (*experiment.Experiment, error) {
		declared, err := now.Declare(r)
		if err != nil || declared == nil {
			return nil, err
		}
		then := h.recorded(declared)
		for _, named := range r.Grid {
			p, _ := declared.Param(named.Name)
			if known, _ := then.Param(named.Name); p != nil && known == nil {
				then.Params = append(then.Params, *p)
			}
		}
		return then, nil
	}
	return &e
}

// recorded returns a declaration as it was then: the one of now if that is the
// same.
func (h *header) recorded(now *experiment.Experiment) *experiment.Experiment {
	if h.fits(now, "") == nil && h.measures(now, "") == nil {
		return now
	}
	e := *now
	e.Version = h.Version
	e.Params = nil
	e.Metrics = nil
	e.Series = nil
	for _, c := range h.Columns {
		switch c.Role {
		case "parameter":
			if p, _ := now.Param(c.Name); p != nil {
				e.Params = append(e.Params, recordedParam(*p, c))
			}
		case "metric":
			e.Metrics = append(e.Metrics, recordedMetric(c))
		case "series":
			e.Series = append(e.Series, recordedMetric(c))
		}
	}
	e.Rules = slices.Clone(e.Rules)
	e.Rules = slices.DeleteFunc(e.Rules, func(r experiment.Rule) bool {
		return slices.Contains(e.Places(r.Params), -1)
	})
	e.Figures = slices.Clone(e.Figures)
	e.Figures = slices.DeleteFunc(e.Figures, func(f experiment.Figure) bool {
		return e.CheckFigure(&f) != nil
	})
	e.Tables = slices.Clone(e.Tables)
	e.Tables = slices.DeleteFunc(e.Tables, func(t experiment.Table) bool {
		return slices.ContainsFunc(t.Rows, func(row experiment.TableRow) bool {
			return e.Metric(row.Metric) < 0
		})
	})
	return &e
}

// recordedParam returns a parameter with the default that it had.
func recordedParam(p experiment.Param, c Column) experiment.Param {
	if v, err := p.Parse(c.Default); err == nil && !p.Default.IsNull() {
		p.Default = v
	}
	return p
}

func recordedMetric(c Column) experiment.Metric {
	kind := experiment.Float
	if c.Kind == experiment.Int.String() {
		kind = experiment.Int
	}
	return experiment.Metric{
		Name:    c.Name,
		Kind:    kind,
		Unit:    c.Unit,
		Meaning: c.Meaning,
		From:    c.From,
	}
}
