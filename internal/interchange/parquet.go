package interchange

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// rowGroup is the number of rows that are held before they are written. It bounds
// the memory of an export, not the size of its file.
const rowGroup = 4096

// writeParquet writes a Parquet file: the fields of a row, then an optional column
// for each column of the metrics, "score_" and its name. Scores are in their own
// unit, ratios from 0 to 1. The same runs give the same bytes.
func writeParquet(e *Export, w io.Writer) error {
	t := rowType(e)
	out := parquet.NewWriter(w, parquet.SchemaOf(reflect.New(t).Interface()),
		parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.CreatedBy("recallbench", e.Version, ""))
	fixed := reflect.TypeFor[row]().NumField()
	for _, c := range e.Cells {
		for f, err := range c.rows() {
			if err != nil {
				return err
			}
			v := reflect.New(t).Elem()
			from := reflect.ValueOf(f.row)
			for i := range fixed {
				v.Field(i).Set(from.Field(i))
			}
			for i, x := range e.scores(f.request) {
				v.Field(fixed + i).Set(reflect.ValueOf(x))
			}
			if err := out.Write(v.Addr().Interface()); err != nil {
				return fmt.Errorf("request %s of %s: %w", f.row.Request, f.row.Sample, err)
			}
		}
	}
	return out.Close()
}

// rowType is row with a field for each column of scores.
func rowType(e *Export) reflect.Type {
	var fields []reflect.StructField
	for f := range reflect.TypeFor[row]().Fields() {
		fields = append(fields, f)
	}
	for i, c := range e.Columns {
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("Score%d", i), Type: reflect.TypeFor[*float64](),
			// A comma would end the name in the tag.
			Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", "score_"+strings.ReplaceAll(c.Name, ",", "_")+",optional")),
		})
	}
	return reflect.StructOf(fields)
}
