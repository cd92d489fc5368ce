package results

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
	table := func(fields int, set func()) flatbuffers.UOffsetT {
		b.StartObject(fields)
		set()
		return b.EndObject()
	}
	vector := func(offsets []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		b.StartVector(flatbuffers.SizeUOffsetT, len(offsets), flatbuffers.SizeUOffsetT)
		for _, offset := range slices.Backward(offsets) {
			b.PrependUOffsetT(offset)
		}
		return b.EndVector(len(offsets))
	}
	integer := func(bits int32) flatbuffers.UOffsetT {
		return table(2, func() {
			b.PrependInt32Slot(0, bits, 0)
			b.PrependBoolSlot(1, true, false)
		})
	}
	// pairs writes what is not empty.
	pairs := func(texts map[string]string) flatbuffers.UOffsetT {
		var list []flatbuffers.UOffsetT
		for _, key := range slices.Sorted(maps.Keys(texts)) {
			if texts[key] != "" {
				key, value := b.CreateString(key), b.CreateString(texts[key])
				list = append(list, table(2, func() {
					b.PrependUOffsetTSlot(0, key, 0)
					b.PrependUOffsetTSlot(1, value, 0)
				}))
			}
		}
		return vector(list)
	}
	var fields []flatbuffers.UOffsetT
	for i, c := range columns {
		name, children := b.CreateString(c.Name), vector(nil)
		about := pairs(map[string]string{"meaning": c.Meaning, "unit": c.Unit, "symbol": c.Symbol, "default": c.Default, "role": c.Role})
		number, kind := byte(arrowBool), flatbuffers.UOffsetT(0)
		switch c.Kind {
		case "int":
			number, kind = arrowInt, integer(64)
		case "float":
			number, kind = arrowFloat, table(1, func() { b.PrependInt16Slot(0, arrowDouble, 0) })
		case "string":
			number, kind = arrowUTF8, table(0, func() {})
		default:
			kind = table(0, func() {})
		}
		dictionary := flatbuffers.UOffsetT(0)
		if c.few {
			index := integer(32)
			dictionary = table(4, func() {
				b.PrependInt64Slot(0, int64(i), 0)
				b.PrependUOffsetTSlot(1, index, 0)
			})
		}
		fields = append(fields, table(7, func() {
			b.PrependUOffsetTSlot(0, name, 0)
			b.PrependBoolSlot(1, c.optional, false)
			b.PrependByteSlot(2, number, 0)
			b.PrependUOffsetTSlot(3, kind, 0)
			b.PrependUOffsetTSlot(4, dictionary, 0)
			b.PrependUOffsetTSlot(5, children, 0)
			b.PrependUOffsetTSlot(6, about, 0)
		}))
	}
	list, about := vector(fields), pairs(footer)
	schema := table(4, func() {
		b.PrependUOffsetTSlot(1, list, 0)
		b.PrependUOffsetTSlot(2, about, 0)
	})
	b.Finish(table(5, func() {
		b.PrependInt16Slot(0, arrowV5, 0)
		b.PrependByteSlot(1, arrowSchemaMessage, 0)
		b.PrependUOffsetTSlot(2, schema, 0)
	}))
	// An encapsulated message: a mark, the length, the content up to a multiple of 8.
	content := b.FinishedBytes()
	content = append(content, make([]byte, -len(content)&7)...)
	message := binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(len(content)))
	return base64.StdEncoding.EncodeToString(append(message, content...))
}
