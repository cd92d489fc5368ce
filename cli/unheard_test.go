package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A sweep goes on when whoever read its progress has gone.
func TestNobodyReadsProgress(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "toy.toml"), "experiment = \"toy\"\nseeds = 3\n")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer writer.Close()
	cmd := exec.Command("sweep", "run", "toy.toml", "-o", "out", "--log-format", "json")
	cmd.Dir, cmd.Stderr = dir, writer
	_ = cmd.Run() // its last word may end it
	finalFiles(t, filepath.Join(dir, "out"))
}
