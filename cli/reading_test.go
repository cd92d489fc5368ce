package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sweep/experiment"
)

// reading returns an experiment on words from a file, or on as many as are
// asked for.
func reading() *experiment.Experiment {
	files := map[experiment.Value][]string{}
	return &experiment.Experiment{
		Name: "reading", Version: 1, Title: "Words are counted", Source: "none",
		Params: []experiment.Param{
			{Name: "file", Kind: experiment.String, Meaning: "a text", Source: "invented", Replaces: []string{"words"},
				Input: &experiment.Input{Accepts: "a file of words", Read: func(path string) (experiment.Value, error) {
					text, err := os.ReadFile(path)
					if err != nil {
						return experiment.Value{}, err
					}
					words := strings.Fields(string(text))
					v := experiment.StringValue(filepath.Base(path) + "@" + strings.Join(words, "-"))
					files[v] = words
					return v, nil
				}, Describe: func(v experiment.Value) string {
					if words, ok := files[v]; ok {
						return fmt.Sprint(len(words), " words")
					}
					return ""
				}}},
			{Name: "words", Kind: experiment.Int, Default: experiment.IntValue(1), Max: 9, Meaning: "words", Source: "invented"},
		},
		Metrics: []experiment.Metric{{Name: "count", Kind: experiment.Int, Meaning: "words"}},
		Run: func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			count := p.Value("words").Int()
			if file := p.Value("file"); !file.IsNull() {
				words, ok := files[file]
				if !ok {
					return errors.New("the file was not read")
				}
				count = int64(len(words))
			}
			out.Metrics = []float64{float64(count)}
			return nil
		},
	}
}
