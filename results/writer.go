package results

import (
	"errors"

	"github.com/parquet-go/parquet-go"
)

// A writer writes one Parquet file under a temporary name. Rows are put
// into batch and followed by endRow.
type writer struct {
	*pending
	*batch
	sum     summer // between parquet and pending
	parquet *parquet.GenericWriter[any]
	handed  []parquet.Row
}

// newWriter starts the file that is to be called path.
func newWriter(d disk, path string, l *layout) (*writer, error) {
	p, err := create(d, path)
	if err != nil {
		return nil, err
	}
	w := &writer{pending: p, batch: newBatch(l), sum: summer{to: p}}
	w.parquet = parquet.NewGenericWriter[any](&w.sum, &parquet.WriterConfig{
		CreatedBy:          createdBy,
		Schema:             l.schema,
		KeyValueMetadata:   l.metadata,
		Compression:        &parquet.Zstd,
		MaxRowsPerRowGroup: l.groupRows,
	})
	return w, nil
}

// reuse starts another file of the same layout after finish, in the same
// memory.
func (w *writer) reuse(path string) error {
	p, err := create(w.disk, path)
	if err != nil {
		return err
	}
	w.pending = p
	w.batch.reset()
	w.sum.reset(p)
	w.parquet.Reset(&w.sum)
	return nil
}

// endRow ends the row that was put into the batch.
func (w *writer) endRow() error {
	if w.batch.rows() < batchRows {
		return nil
	}
	return w.flush()
}

func (w *writer) flush() error {
	w.handed = w.handed[:0]
	for i := range w.batch.rows() {
		w.handed = append(w.handed, w.batch.row(i))
	}
	_, err := w.parquet.WriteRows(w.handed)
	w.batch.reset()
	return err
}

// complete writes what is left, and the footer with its checksum.
func (w *writer) complete() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.parquet.Flush(); err != nil {
		return err
	}
	w.sum.hold()
	if err := w.parquet.Close(); err != nil {
		return err
	}
	return w.sum.release()
}

// seal completes the file and makes it durable under its temporary name.
func (w *writer) seal() error {
	return errors.Join(w.complete(), w.pending.seal())
}

// end completes a file that need not outlive this process.
func (w *writer) end() error {
	return errors.Join(w.complete(), w.pending.Close())
}
