package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// newVersion returns "sweep version".
func newVersion(prog *Program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: `Print the version and, where the build knows it, the revision of this program,
the Go version it was built with, and its platform.`,
		Example: `  sweep version`,
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := thisBuild()
			text := prog.Name + " " + b.version
			if b.revision != "" {
				text += " (" + b.revision + ")"
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s, %s, %s/%s\n", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// A build identifies the program's source.
type build struct {
	version  string // the module's version
	revision string // of the source, "+dirty" if changed since; empty if unknown
}

func thisBuild() build {
	b := build{version: "(unknown)"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.version = info.Main.Version
	}
	dirty := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if b.revision != "" && dirty {
		b.revision += "+dirty"
	}
	return b
}
