package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sweep/internal/schema"
)

// reading returns an experiment on words from a file, or on as many as are
// asked for.
func reading() *schema.Experiment {
	files := map[schema.Value][]string{}
	return &schema.Experiment{
		Name: "reading", Version: 1, Title: "Words are counted", Source: "none",
		Params: []schema.Param{
			{Name: "file", Kind: schema.String, Meaning: "a text", Source: "invented", Replaces: []string{"words"},
				Input: &schema.Input{Accepts: "a file of words", Read: func(path string) (schema.Value, error) {
					text, err := os.ReadFile(path)
					if err != nil {
						return schema.Value{}, err
					}
					words := strings.Fields(string(text))
					v := schema.StringValue(filepath.Base(path) + "@" + strings.Join(words, "-"))
					files[v] = words
					return v, nil
				}, Describe: func(v schema.Value) string {
					if words, ok := files[v]; ok {
						return fmt.Sprint(len(words), " words")
					}
					return ""
				}}},
			{Name: "words", Kind: schema.Int, Default: schema.IntValue(1), Max: 9, Meaning: "words", Source: "invented"},
		},
		Metrics: []schema.Metric{{Name: "count", Kind: schema.Int, Meaning: "words"}},
		Run: func(_ context.Context, p schema.Point, out *schema.Result) error {
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
