package cli

import "github.com/spf13/cobra"

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
