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
	parquet *parquet.GenericWriter[any]
	handed  []parquet.Row
}

// newWriter starts the file that is to be called path.
func newWriter(path string, l *layout) (*writer, error) {
	p, err := create(path)
	if err != nil {
		return nil, err
	}
	return &writer{
		pending: p,
		batch:   newBatch(l),
		parquet: parquet.NewGenericWriter[any](p.File, &parquet.WriterConfig{
			CreatedBy:          createdBy,
			Schema:             l.schema,
			KeyValueMetadata:   l.metadata,
			Compression:        &parquet.Zstd,
			MaxRowsPerRowGroup: l.groupRows,
		}),
	}, nil
}

// reuse starts another file of the same layout after finish, in the same
// memory.
func (w *writer) reuse(path string) error {
	p, err := create(path)
	if err != nil {
		return err
	}
	w.pending = p
	w.batch.reset()
	w.parquet.Reset(p.File)
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

// seal completes the file and makes it durable under its temporary name.
func (w *writer) seal() error {
	return errors.Join(w.flush(), w.parquet.Close(), w.pending.seal())
}

// end completes a file that need not outlive this process.
func (w *writer) end() error {
	return errors.Join(w.flush(), w.parquet.Close(), w.pending.Close())
}

// finish completes a file and gives it its name, or removes it.
func (w *writer) finish() error {
	err := w.seal()
	if err == nil {
		err = w.publish()
	}
	if err != nil {
		w.discard()
	}
	return err
}
