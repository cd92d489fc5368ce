package cli

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
)

// processor returns the name of this machine's processor; empty if the system
// does not tell it, as Linux on arm64.
func processor() string {
	switch runtime.GOOS {
	case "linux":
		text, _ := os.ReadFile("/proc/cpuinfo") // if it is missing, nothing is known
		if name := modelName.FindSubmatch(text); name != nil {
			return string(name[1])
		}
	case "darwin":
		text, _ := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
		return strings.TrimSpace(string(text))
	case "windows":
		return os.Getenv("PROCESSOR_IDENTIFIER")
	}
	return ""
}

var modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.*\S)\s*$`)
