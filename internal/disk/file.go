package disk

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// Temporary returns the name that a file has until it is complete, so that a
// file with its proper name is always complete. There are libraries for this,
// but they take paths, not names in an open directory.
func Temporary(name string) string { return "." + name + ".tmp" }

// WriteFile writes a whole small file atomically and durably.
func WriteFile(d Dir, name string, content []byte) error {
	f, err := d.Create(Temporary(name))
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return Publish(d, f, name, err)
}

// Publish gives a file that was written under its temporary name the proper
// one, durably, unless err says that writing has failed.
func Publish(d Dir, f File, name string, err error) error {
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return err
	}
	if err := d.Rename(Temporary(name), name); err != nil {
		return err
	}
	return d.Sync()
}

// smallFile bounds the files that are read whole: specs and manifests.
const smallFile = 2 << 20

// ReadFile reads a whole small file.
func ReadFile(d Dir, name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, 0, smallFile+1))
	if len(text) > smallFile {
		err = Refuse(d.Path(name), "", "has more than the %d bytes that are read", smallFile)
	}
	return text, err
}

// A Sum identifies the content of a file.
type Sum struct {
	Bytes  int64  `json:"bytes"`
	CRC32C string `json:"crc32c"` // hexadecimal
}

// Castagnoli is the table of the polynomial of CRC-32C.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SumOf reads a file to its end.
func SumOf(d Dir, name string) (sum Sum, err error) {
	f, err := d.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	crc := crc32.New(Castagnoli)
	sum.Bytes, err = io.Copy(crc, io.NewSectionReader(f, 0, math.MaxInt64))
	sum.CRC32C = fmt.Sprintf("%08x", crc.Sum32())
	return sum, err
}
