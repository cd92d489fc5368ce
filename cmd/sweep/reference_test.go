package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"sweep/cmd/internal/reference"
	"sweep/internal/testutil"
)

// The page says what is declared.
func TestReferenceIsCurrent(t *testing.T) {
	page := testutil.Must(reference.Page(program()))
	written, err := os.ReadFile("../../docs/reference.md")
	if err != nil || !bytes.Equal(written, page) {
		t.Errorf("docs/reference.md is stale (error %v): go generate ./cmd/reference", err)
	}
}

// Every command has a manual page.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	testutil.NoError(reference.Manual(program(), dir))
	for _, cmd := range program().Command().Commands() {
		text, err := os.ReadFile(filepath.Join(dir, "sweep-"+cmd.Name()+".1"))
		if cmd.IsAvailableCommand() && (err != nil || !bytes.Contains(text, []byte(".TH "))) {
			t.Errorf("the page of %s: error %v, text %q", cmd.Name(), err, text)
		}
	}
}
