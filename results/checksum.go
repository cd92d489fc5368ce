package results

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Every Parquet file bears a checksum of itself in its metadata, under
// keyChecksum: the CRC-32C of all of its bytes, with zeros where the eight
// digits of the checksum stand. A file is thereby whole or not, whoever
// copies or renames it, and other programs read it as any other.
//
// Parquet's own checksums cover the pages alone, not their headers and not
// the footer.

// noChecksum stands in a file while it is written.
const noChecksum = "00000000"

// checksumMark precedes the digits. In the footer a string is preceded by
// its length (8), and a value by the mark of a string (0x18); neither can
// stand in a text of the metadata, all of which is printable.
const checksumMark = keyChecksum + "\x18\x08"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A summer passes a file's bytes on and adds up their checksum.
type summer struct {
	to      io.Writer
	sum     uint32
	holding bool
	held    []byte
}

func (s *summer) Write(b []byte) (int, error) {
	if s.holding {
		s.held = append(s.held, b...)
		return len(b), nil
	}
	n, err := s.to.Write(b)
	s.sum = crc32.Update(s.sum, castagnoli, b[:n])
	return n, err
}

// hold keeps the bytes that follow, which are to contain the footer.
func (s *summer) hold() { s.holding = true }

// release writes the checksum into what was held, and that to the file.
func (s *summer) release() error {
	at := bytes.LastIndex(s.held, []byte(checksumMark))
	if at < 0 {
		panic("results: a footer without room for its checksum")
	}
	digits := s.held[at+len(checksumMark):][:len(noChecksum)]
	sum := crc32.Update(s.sum, castagnoli, s.held)
	copy(digits, fmt.Sprintf("%08x", sum))
	_, err := s.to.Write(s.held)
	return err
}

// reset starts another file.
func (s *summer) reset(to io.Writer) { *s = summer{to: to, held: s.held[:0]} }

// Why a file is not whole.
var (
	errTruncated  = errors.New("it is cut off, or not a Parquet file")
	errChecksum   = errors.New("its checksum does not match")
	errNoChecksum = errors.New("it bears no checksum")
)

// examine reads a whole file. It returns what is wrong with it, nil if it
// is as it was written, and separately why it cannot be read.
func examine(f input) (fault, err error) {
	const end = 8 // the footer's length in 4 bytes, "PAR1"
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	last := make([]byte, end)
	if size < 4+end {
		return errTruncated, nil
	}
	if _, err := f.ReadAt(last, size-end); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(last))
	if string(last[4:]) != "PAR1" || length > size-4-end {
		return errTruncated, nil
	}
	footer := make([]byte, length+end)
	start := size - int64(len(footer))
	if _, err := f.ReadAt(footer, start); err != nil {
		return nil, err
	}
	at := bytes.LastIndex(footer, []byte(checksumMark))
	if at < 0 || at+len(checksumMark)+len(noChecksum) > len(footer) {
		return errNoChecksum, nil
	}
	digits := footer[at+len(checksumMark):][:len(noChecksum)]
	want := string(digits)
	copy(digits, noChecksum)

	sum := uint32(0)
	buffer := make([]byte, min(1<<20, start))
	for at := int64(0); at < start; {
		part := buffer[:min(int64(len(buffer)), start-at)]
		if _, err := f.ReadAt(part, at); err != nil {
			return nil, err
		}
		sum = crc32.Update(sum, castagnoli, part)
		at += int64(len(part))
	}
	sum = crc32.Update(sum, castagnoli, footer)
	if fmt.Sprintf("%08x", sum) != want {
		return errChecksum, nil
	}
	return nil, nil
}
