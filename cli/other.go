package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// newHelp replaces cobra's help command, which takes an unknown topic for
// a success.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: `  sweep help run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(about, rest[0])
			}
			return about.Help()
		},
	}
}

// newCompletion returns "sweep completion".
func newCompletion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes commands in the shell",
		Long: `Print a script that lets SHELL (bash, zsh, fish or powershell) complete the
commands, flags and sweep names of this program.`,
		Example: `  source <(sweep completion bash)                       bash, this shell
  sweep completion bash > /etc/bash_completion.d/sweep  bash, for good
  sweep completion zsh > "${fpath[1]}/_sweep"           zsh
  sweep completion fish | source                        fish, this shell`,
		Args:      arguments(1, 1),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			out, root := cmd.OutOrStdout(), cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return unknown("shell", args[0], shells, cmd)
		},
	}
}

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
