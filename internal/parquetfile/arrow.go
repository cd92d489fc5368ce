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

	arrowInt    = 2
	arrowFloat  = 3
	arrowUTF8   = 5
	arrowBool   = 6
	arrowDouble = 2
)

// arrowSchema returns the columns, and what else the footer tells, as the key
// ARROW:schema of a Parquet file has them: so readers by way of Arrow, such as
// pyarrow, pandas and R's arrow, find what each column means, and take texts of
// few values as dictionaries.
func arrowSchema(columns []Column, footer map[string]string) string {
	b := flatbuffers.NewBuilder(1 << 14)
	// table has the fields in order; nil and zeros are left out.
	table := func(fields ...any) flatbuffers.UOffsetT {
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
	// pairs has what is not empty.
	pairs := func(texts map[string]string) flatbuffers.UOffsetT {
		var list []flatbuffers.UOffsetT
		for _, key := range slices.Sorted(maps.Keys(texts)) {
			if texts[key] != "" {
				key, value := b.CreateString(key), b.CreateString(texts[key])
				list = append(list, table(key, value))
			}
		}
		return b.CreateVectorOfTables(list)
	}
	var fields []flatbuffers.UOffsetT
	for i, c := range columns {
		name, children := b.CreateString(c.Name), b.CreateVectorOfTables(nil)
		about := pairs(map[string]string{
			"meaning": c.Meaning, "unit": c.Unit, "symbol": c.Symbol, "default": c.Default, "role": c.Role})
		number, options := byte(arrowBool), []any(nil)
		switch c.Kind {
		case "int":
			number, options = arrowInt, []any{int32(64), true}
		case "float":
			number, options = arrowFloat, []any{int16(arrowDouble)}
		case "string":
			number = arrowUTF8
		}
		kind := table(options...)
		var dictionary any
		if c.Kind == "string" && !c.Many {
			dictionary = table(int64(i), table(int32(32), true))
		}
		fields = append(fields, table(name, c.Optional, number, kind, dictionary, children, about))
	}
	list, about := b.CreateVectorOfTables(fields), pairs(footer)
	schema := table(nil, list, about)
	b.Finish(table(int16(arrowV5), byte(arrowSchemaMessage), schema))
	// An encapsulated message: a mark, the length, the content up to a multiple of 8.
	content := b.FinishedBytes()
	content = append(content, make([]byte, -len(content)&7)...)
	message := binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(len(content)))
	return base64.StdEncoding.EncodeToString(append(message, content...))
}
