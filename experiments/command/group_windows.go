package command

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// attributes of a run's process: Ctrl-C on the console does not reach it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// waitFor waits until a child has ended, calls then, and returns how it has
// ended.
func waitFor(cmd *exec.Cmd, then func()) error {
	defer then()
	return cmd.Wait()
}

// A tree is a job object, which ends with this process; the caller of its
// methods holds groups. What a program starts in the moment before it is in
// the job is not in it.
type tree windows.Handle

func (t *tree) open(leader int) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return // only what the program leaves behind is not found
	}
	*t = tree(job)
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, _ = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(leader))
	if err == nil {
		_ = windows.AssignProcessToJobObject(job, process)
		_ = windows.CloseHandle(process)
	}
}

func (t *tree) close() {
	if *t != 0 {
		_ = windows.CloseHandle(windows.Handle(*t))
	}
	*t = 0
}

// signal ends all processes: there are no signals, and none would be heard.
func (t tree) signal(syscall.Signal) {
	if t != 0 {
		_ = windows.TerminateJobObject(windows.Handle(t), 1)
	}
}
