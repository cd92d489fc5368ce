package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"sweep/grid"
	"sweep/internal/slurm"
)

// writeJob puts the scripts, the spec with the files it names, and the
// program into job.Dir, and makes the directory of the logs.
func writeJob(job *slurm.Job, spec *grid.Spec) error {
	if err := os.MkdirAll(job.Logs(), 0o777); err != nil {
		return err
	}
	if err := copyProgram(job.Program); err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	if err := copyInputs(job.Dir, spec); err != nil {
		return err
	}
	if err := replaceFile(job.Spec, spec.Source, 0o666); err != nil {
		return err
	}
	for _, script := range job.Scripts() {
		if err := replaceFile(filepath.Join(job.Dir, script.Name), []byte(script.Text), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// copyInputs copies the files that the spec names to where its copy will look
// for them.
func copyInputs(dir string, spec *grid.Spec) error {
	for _, name := range spec.Inputs() {
		if filepath.IsAbs(name) {
			continue
		}
		local := filepath.FromSlash(name)
		if !filepath.IsLocal(local) {
			return &usageError{
				message: fmt.Sprintf("%s names %q, which a copy of the spec in %s would not find", spec.File, name, dir),
				hint:    "give its absolute path, or put the file into the spec's directory",
			}
		}
		content, err := os.ReadFile(filepath.Join(filepath.Dir(spec.File), local))
		if err != nil {
			return err
		}
		to := filepath.Join(dir, local)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := replaceFile(to, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// copyProgram copies this program. Tasks that wait in the queue need it when
// the original may have been changed, or is gone, as after "go run".
func copyProgram(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return replaceFile(path, program, 0o777)
}

// replaceFile writes a file that appears as a whole or not at all. One that
// has the content already is left alone: it may be a program that runs on
// another machine, over a file system that forgets files in use. The umask
// lessens the permissions.
func replaceFile(path string, content []byte, perm os.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	return renameio.WriteFile(path, content, perm)
}
