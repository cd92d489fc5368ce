package parquetfile

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Arrow's format: github.com/apache/arrow, format/Message.fbs and Schema.fbs.
const (
	arrowV5            = 4
	arrowSchemaMessage = 1

	arrowInt       = 2
	arrowFloat     = 3
	arrowUTF8      = 5
	arrowBool      = 6
	arrowTimestamp = 10

	arrowDouble       = 2
	arrowMilliseconds = 1
)

// arrowSchema describes the columns and the footer as the key ARROW:schema of a
// Parquet file does. Programs that read by way of Arrow, such as pyarrow,
// pandas and R's arrow, find the meaning of each column there, and read texts
// with few values as dictionaries.
func arrowSchema(columns []Column, footer map[string]string) string {
	b := arrowBuilder{flatbuffers.NewBuilder(1 << 14)}
	var fields []flatbuffers.UOffsetT
	for i, c := range columns {
		fields = append(fields, b.field(i, c))
	}
	list := b.CreateVectorOfTables(fields)
	about := b.pairs(footer)
	schema := b.table(nil, list, about)
	b.Finish(b.table(int16(arrowV5), byte(arrowSchemaMessage), schema))
	// An encapsulated message: a mark, the length, the content padded to a
	// multiple of 8 bytes.
	content := b.FinishedBytes()
	content = append(content, make([]byte, -len(content)&7)...)
	message := []byte{0xff, 0xff, 0xff, 0xff}
	message = binary.LittleEndian.AppendUint32(message, uint32(len(content)))
	return base64.StdEncoding.EncodeToString(append(message, content...))
}

// An arrowBuilder builds the parts of a schema.
type arrowBuilder struct{ *flatbuffers.Builder }

// field adds the description of column i.
func (b arrowBuilder) field(i int, c Column) flatbuffers.UOffsetT {
	name := b.CreateString(c.Name)
	children := b.CreateVectorOfTables(nil)
	about := b.pairs(map[string]string{
		"meaning": c.Meaning,
		"unit":    c.Unit,
		"symbol":  c.Symbol,
		"default": c.Default,
		"role":    c.Role,
	})
	number := byte(arrowBool)
	var options []any
	switch c.Kind {
	case "int":
		number = arrowInt
		options = []any{int32(64), true} // bits, signed
	case "float":
		number = arrowFloat
		options = []any{int16(arrowDouble)}
	case "string":
		number = arrowUTF8
	case "time":
		number = arrowTimestamp
		options = []any{int16(arrowMilliseconds), b.CreateString("UTC")}
	}
	kind := b.table(options...)
	var dictionary any
	if c.Kind == "string" && !c.Many {
		dictionary = b.table(int64(i), b.table(int32(32), true))
	}
	fields := []any{name, c.Optional, number, kind, dictionary, children, about}
	return b.table(fields...)
}

// pairs adds the texts that are not empty with their keys, in the order of the
// keys.
func (b arrowBuilder) pairs(texts map[string]string) flatbuffers.UOffsetT {
	var list []flatbuffers.UOffsetT
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if texts[key] != "" {
			name := b.CreateString(key)
			value := b.CreateString(texts[key])
			list = append(list, b.table(name, value))
		}
	}
	return b.CreateVectorOfTables(list)
}

// table adds a table with fields in order; nil and zeros are left out.
func (b arrowBuilder) table(fields ...any) flatbuffers.UOffsetT {
	b.StartObject(len(fields))
	for i, f := range fields {
		switch f := f.(type) {
		case bool:
			b.PrependBoolSlot(i, f, false)
		case byte:
			b.PrependByteSlot(i, f, 0)
		case int16:
			b.PrependInt16Slot(i, f, 0)
		case int32:
			b.PrependInt32Slot(i, f, 0)
		case int64:
			b.PrependInt64Slot(i, f, 0)
		case flatbuffers.UOffsetT:
			b.PrependUOffsetTSlot(i, f, 0)
		}
	}
	return b.EndObject()
}
