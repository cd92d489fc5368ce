package cli

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sweep/internal/table"
	"sweep/results"
)

// crateFile is the name that RO-Crate gives to the description of a directory.
const crateFile = "ro-crate-metadata.json"

// The versions of RO-Crate and of its profile for runs of programs.
const (
	crateContext = "https://w3id.org/ro/crate/1.1/context"
	crateVersion = "https://w3id.org/ro/crate/1.1"
	crateProfile = "https://w3id.org/ro/wfrun/process/0.5"
)

// crateTime is the form of times of ISO 8601 that the profile's validator
// knows: without Z.
const crateTime = "2006-01-02T15:04:05-07:00"

// crate defines "sweep crate".
func (p *Program) crate(cmd *cobra.Command) {
	license := cmd.Flags().String("license", "", "the licence of the results, as a `URL`")
	author := cmd.Flags().String("author", "", "who is responsible for them: a `NAME`")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		reader, err := p.open(cmd, args[0])
		if err != nil {
			return err
		}
		if *license != "" {
			u, err := url.Parse(*license)
			if err != nil || !strings.HasPrefix(u.Scheme, "http") || u.Host == "" {
				return usage("for example https://spdx.org/licenses/CC-BY-4.0",
					"--license is %q, want a URL", *license)
			}
		}
		manifests, err := results.Manifests(reader.Dir)
		if err != nil {
			return err
		}
		c := &crate{Reader: reader, manifests: manifests, license: *license, author: *author}
		if err := c.describe(); err != nil {
			return err
		}
		var text strings.Builder
		err = table.WriteJSON(&text, map[string]any{
			"@context": crateContext,
			"@graph":   c.graph,
		})
		if err != nil {
			return err
		}
		file := filepath.Join(reader.Dir, crateFile)
		if err := replaceFile(file, []byte(text.String()), 0o666); err != nil {
			return err
		}
		if *license == "" {
			say(cmd.ErrOrStderr(), "warning: archives want a licence: --license URL")
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), file)
		return err
	}
}

// An entity is a node of the graph of an RO-Crate.
type entity map[string]any

// ref refers to an entity.
func ref(id string) entity { return entity{"@id": id} }

// refs refers to several entities; one is no list (RO-Crate 1.1, appendix on
// JSON-LD).
func refs(ids []string) any {
	if len(ids) == 1 {
		return ref(ids[0])
	}
	list := []entity{}
	for _, id := range ids {
		list = append(list, ref(id))
	}
	return list
}

// A crate makes the description of a directory.
type crate struct {
	*results.Reader
	manifests []*results.Manifest
	license   string // a URL; empty if none is given
	author    string // empty if none is given

	graph []entity
}

// describe makes the graph.
func (c *crate) describe() error {
	files, err := c.parts()
	if err != nil {
		return err
	}
	c.graph = []entity{
		{
			"@id":        crateFile,
			"@type":      "CreativeWork",
			"about":      ref("./"),
			"conformsTo": ref(crateVersion),
		},
	}
	root := entity{
		"@id":           "./",
		"@type":         "Dataset",
		"name":          "sweep " + c.Name,
		"description":   c.summary(),
		"datePublished": c.published(),
		"conformsTo":    ref(crateProfile),
		"hasPart":       refs(files),
	}
	c.graph = append(c.graph, root, entity{
		"@id":     crateProfile,
		"@type":   "CreativeWork",
		"name":    "Process Run Crate",
		"version": "0.5",
	})
	root["license"] = "No licence is stated." // there must be one, or a text
	if c.license != "" {
		root["license"] = ref(c.license)
		c.graph = append(c.graph, entity{
			"@id":   c.license,
			"@type": "CreativeWork",
			"name":  path.Base(c.license),
		})
	}
	if c.author != "" {
		root["author"] = ref("#author")
		c.graph = append(c.graph, entity{"@id": "#author", "@type": "Person", "name": c.author})
	}
	for _, file := range files {
		c.graph = append(c.graph, c.part(file))
	}
	c.graph = append(c.graph, c.programs()...)
	var actions []string
	for _, m := range c.manifests {
		action := c.action(m, files)
		actions = append(actions, action["@id"].(string))
		c.graph = append(c.graph, action)
	}
	root["mentions"] = refs(actions)
	return nil
}

// summary says in a sentence what the results are of.
func (c *crate) summary() string {
	e := c.Plan.Experiment()
	text := fmt.Sprintf("%d of %s of a parameter sweep. Experiment: %s (model version %d), %s",
		c.OK(), runs(c.Assigned()), e.Name, e.Version, clip(e.Title))
	if failed := c.Failed(); failed > 0 {
		text += fmt.Sprintf("; %d failed", failed)
	}
	if missing := c.Missing(); missing > 0 {
		text += fmt.Sprintf("; %d are missing", missing)
	}
	return text + "; SHA-256 of the runs " + c.Digest()
}

// published returns the day on which the last command ended.
func (c *crate) published() string {
	var last time.Time
	for _, m := range c.manifests {
		if m.Updated.After(last) {
			last = m.Updated
		}
	}
	return last.Format(time.DateOnly)
}

// meanings says what the files of a sweep hold, and in which format.
var meanings = map[string][2]string{
	"spec.toml":       {"the spec of the sweep, as given", "application/toml"},
	"runs.jsonl":      {"the log: a line for each finished run", "application/jsonl"},
	"manifest.json":   {"who computed the results, when and with what", "application/json"},
	"runs.parquet":    {"a row for each run: parameters, seed, metrics", parquetType},
	"series.parquet":  {"a row for each run and point in time", parquetType},
	"summary.parquet": {"a row for each cell and metric: mean, limits and others", parquetType},
	"timings.parquet": {"a row for each run: what it took", parquetType},
	"report.html":     {"a report on the results", "text/html"},
}

const parquetType = "application/vnd.apache.parquet"

// figureTypes are the formats of figures, by the ends of their names.
var figureTypes = map[string]string{
	".svg": "image/svg+xml",
	".png": "image/png",
	".pdf": "application/pdf",
}

// parts returns the files that are described and, as NAME/, the other
// directories, as IDs of the crate. What is temporary is left out.
func (c *crate) parts() (ids []string, err error) {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		_, isKnown := meanings[name]
		switch {
		case e.IsDir() && name == figuresDir:
			figures, err := os.ReadDir(filepath.Join(c.Dir, name))
			if err != nil {
				return nil, err
			}
			for _, f := range figures {
				if figureTypes[filepath.Ext(f.Name())] != "" {
					ids = append(ids, figuresDir+"/"+url.PathEscape(f.Name()))
				}
			}
		case e.IsDir() && !strings.HasPrefix(name, "."):
			ids = append(ids, url.PathEscape(name)+"/")
		case isKnown:
			ids = append(ids, name)
		}
	}
	return ids, nil
}

// part describes a file or directory.
func (c *crate) part(id string) entity {
	name, _ := url.PathUnescape(id)
	part := entity{"@id": id, "@type": "File", "name": path.Base(name)}
	if strings.HasSuffix(id, "/") {
		part["@type"] = "Dataset"
		part["description"] = "files of runs or shards"
		return part
	}
	info, err := os.Stat(filepath.Join(c.Dir, filepath.FromSlash(name)))
	if err == nil {
		part["contentSize"] = fmt.Sprint(info.Size())
	}
	known, ok := meanings[name]
	if !ok {
		known = [2]string{"a figure of the results", figureTypes[path.Ext(name)]}
	}
	part["description"] = known[0]
	part["encodingFormat"] = known[1]
	return part
}

// programID names a version of the program.
func programID(m *results.Manifest) string {
	return "#sweep-" + url.PathEscape(m.ToolVersion)
}

// programs describes the versions of the program that computed runs.
func (c *crate) programs() (list []entity) {
	var known []string
	for _, m := range c.manifests {
		id := programID(m)
		if slices.Contains(known, id) {
			continue
		}
		known = append(known, id)
		list = append(list, entity{
			"@id":             id,
			"@type":           "SoftwareApplication",
			"name":            "sweep",
			"description":     "runs the sweeps of parameters that a spec describes",
			"softwareVersion": m.ToolVersion,
			"runtimePlatform": m.GoVersion,
		})
	}
	return list
}

// action describes what the last command in the directory of a manifest did.
func (c *crate) action(m *results.Manifest, files []string) entity {
	id := "#run"
	name := "runs of " + m.Spec
	if m.Shard != "" {
		id += "-" + url.PathEscape(m.Shard)
		name += ", shard " + m.Shard
	}
	action := entity{
		"@id":        id,
		"@type":      "CreateAction",
		"name":       name,
		"instrument": ref(programID(m)),
		"object":     ref("spec.toml"),
		"startTime":  m.Start.Format(crateTime),
		"description": fmt.Sprintf("%s, with %s on %s/%s %s", runs(m.Executed),
			table.Count(int64(m.Workers), "worker"), m.OS, m.Arch, m.CPUModel),
	}
	var made []string
	for _, file := range files {
		isWhole := m.Shard == "" && file != "spec.toml"
		if isWhole || m.Shard != "" && file == "shards/" {
			made = append(made, file)
		}
	}
	if made != nil {
		action["result"] = refs(made)
	}
	if c.author != "" {
		action["agent"] = ref("#author")
	}
	if m.End.IsZero() { // it is at work, or was killed
		return action
	}
	action["endTime"] = m.End.Format(crateTime)
	action["actionStatus"] = "http://schema.org/CompletedActionStatus"
	if !m.Complete {
		action["actionStatus"] = "http://schema.org/FailedActionStatus"
		action["error"] = runs(m.Missing) + " missing"
	}
	return action
}
