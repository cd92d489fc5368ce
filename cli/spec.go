package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sweep/analysis"
	"sweep/grid"
	"sweep/internal/document"
	"sweep/internal/table"
)

// suffix is what the names of spec files end in.
const suffix = ".toml"

// sweeps returns the names of the specs that come with the program, sorted.
func (p *Program) sweeps() []string {
	names, _ := fs.Glob(p.Sweeps, "*"+suffix) // the pattern is valid
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], suffix)
	}
	return names
}

// shipped reads a file that comes with the program, and returns also how
// messages name it.
func (p *Program) shipped(name string) (file string, source []byte, err error) {
	source, err = fs.ReadFile(p.Sweeps, name)
	return path.Join("sweeps", name), source, err
}

// sweepList names the sweeps that come with the program for help texts.
func sweepList(sweeps []string) string {
	if len(sweeps) == 0 {
		return "No sweeps come with this program."
	}
	const width = 78 // with the indentation, 80 columns
	lines := table.Wrap(strings.Join(sweeps, ", "), width)
	return "Sweeps that come with the program:\n  " + strings.Join(lines, "\n  ")
}

func (p *Program) experimentNames() (names []string) {
	for _, e := range p.Experiments {
		names = append(names, e.Name)
	}
	return names
}

// loadSpec reads the spec that a command line names, changes it as --seeds and
// --set say, and checks it and its claims. What is wrong with the changes alone
// is a fault of the command line, and has no place in the file.
func (p *Program) loadSpec(name, seeds string, sets ...string) (*grid.Spec, error) {
	file, source, err := p.findSpec(name)
	if err != nil {
		return nil, err
	}
	if seeds == "" && sets == nil {
		return p.parseSpec(name, file, source)
	}
	spec, err := p.changedSpec(name, file, source, seeds, sets...)
	fault, is := errors.AsType[*grid.Error](err)
	if !is {
		return spec, err
	}
	_, err = p.parseSpec(name, file, source)
	if err != nil {
		return nil, err // the file itself is wrong
	}
	var flags []string
	if seeds != "" {
		flags = append(flags, "--seeds "+seeds)
	}
	for _, set := range sets {
		flags = append(flags, "--set "+set)
	}
	return nil, usage(fault.Hint, "%s: %s", strings.Join(flags, " "), fault.Message)
}

// changedSpec changes a spec, and checks it and its claims.
func (p *Program) changedSpec(
	name, file string, source []byte, seeds string, sets ...string,
) (*grid.Spec, error) {
	source, err := grid.Changed(file, source, seeds, sets, p.Experiments)
	if err != nil {
		return nil, err
	}
	return p.parseSpec(name, file, source)
}

// parseSpec checks a spec and its claims. It warns if a file is likely to be
// meant and the spec of that name that comes with the program is taken.
func (p *Program) parseSpec(name, file string, source []byte) (*grid.Spec, error) {
	spec, err := grid.Parse(file, source, p.Experiments)
	if err != nil {
		return nil, err
	}
	if err := analysis.CheckClaims(spec); err != nil {
		return nil, err
	}
	if err := analysis.CheckSearch(spec); err != nil {
		return nil, err
	}
	_, absent := os.Stat(name + suffix)
	if absent == nil && slices.Contains(p.sweeps(), name) {
		spec.Warnings = append(spec.Warnings, &grid.Error{
			File:    file,
			Line:    1,
			Column:  1,
			Message: "comes with the program; to name the file here, write ./" + name + suffix,
		})
	}
	return spec, nil
}

// ready refuses a spec whose runs cannot be executed on this machine. The fault
// is one of the command's use: elsewhere the spec may be right.
func ready(spec *grid.Spec) error {
	err := spec.Ready()
	if fault, is := errors.AsType[*grid.Error](err); is {
		return usage(fault.Hint, "%v", fault)
	}
	return err
}

// findSpec reads the text of a spec, and returns how messages name it.
func (p *Program) findSpec(name string) (file string, source []byte, err error) {
	if slices.Contains(p.sweeps(), name) {
		return p.shipped(name + suffix)
	}
	file = specFile(name)
	source, err = readSpec(file)
	if errors.Is(err, fs.ErrNotExist) || isDirectory(file) {
		return "", nil, p.noSpec(name, file)
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading the spec: %w", err)
	}
	return file, source, nil
}

// specFile returns the file that a name stands for: its ending may be left
// out.
func specFile(name string) string {
	if !isPath(name) {
		return name + suffix
	}
	_, err := os.Stat(name)
	if err != nil && !strings.HasSuffix(name, suffix) {
		return name + suffix
	}
	return name
}

// readSpec reads a file, up to more than package grid accepts.
func readSpec(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	source, err := io.ReadAll(io.LimitReader(f, 2*document.MaxSize))
	return bytes.TrimPrefix(source, []byte("\ufeff")), err // some Windows editors write it
}

// noSpec says that a name names no spec.
func (p *Program) noSpec(name, file string) error {
	aDirectory := name + " is a directory, and a SPEC is a file"
	if isPath(name) && isDirectory(name) {
		return usage(aDirectory, "there is no file %s", file)
	}
	if isPath(name) {
		files, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*"+suffix))
		return usage(document.DidYouMean(file, files), "there is no file %s", file)
	}
	message := fmt.Sprintf("there is no sweep %q, and no file %s", name, file)
	if len(p.sweeps()) > 0 {
		message += "; known are: " + strings.Join(p.sweeps(), ", ")
	}
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		return usage(aDirectory, "%s", message)
	}
	if err == nil {
		return usage("to name the file, write ./"+name, "%s", message)
	}
	hint := document.DidYouMean(name, p.sweeps())
	if name == "-" {
		hint = "a spec from stdin is /dev/stdin"
	}
	if hint == "" {
		files, _ := filepath.Glob("*" + suffix) // the pattern is valid
		hint = document.DidYouMean(file, files)
	}
	return usage(hint, "%s", message)
}

// isPath reports whether a name can only be that of a file.
func isPath(name string) bool {
	separators := "/" + string(os.PathSeparator)
	return strings.HasSuffix(name, suffix) || strings.ContainsAny(name, separators)
}
