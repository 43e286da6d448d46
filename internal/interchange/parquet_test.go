package interchange_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"recallbench/internal/asked"
	"recallbench/internal/interchange"
)

// A parquetRow is what other programs see of a row, by the names of its columns.
type parquetRow struct {
	Method       string     `parquet:"method"`
	Seed         uint64     `parquet:"seed"`
	Request      string     `parquet:"request"`
	Gold         *string    `parquet:"gold,optional"`
	Answer       string     `parquet:"answer"`
	ErrorKind    *string    `parquet:"error_kind,optional"`
	ErrorMessage *string    `parquet:"error_message,optional"`
	Cost         *float64   `parquet:"cost_usd,optional"`
	TokensInput  *int       `parquet:"tokens_input,optional"`
	Start        *time.Time `parquet:"start,optional,timestamp(microsecond)"`
	F1           *float64   `parquet:"score_f1@mem0,optional"`
	Blocks       *float64   `parquet:"score_blocks,optional"`
	Judge        *string    `parquet:"judge,optional"`
	Correct      *bool      `parquet:"judged_correct,optional"`
	JudgeWhy     *string    `parquet:"judge_why,optional"`
	Labels       []struct {
		Name  string `parquet:"name"`
		Value string `parquet:"value"`
	} `parquet:"labels,list"`
	Evidence []struct {
		Block   string   `parquet:"block"`
		Score   float64  `parquet:"score"`
		Sources []string `parquet:"sources,list"`
		Text    string   `parquet:"text"`
	} `parquet:"evidence,list"`
}

func readParquet(t *testing.T, data []byte) []parquetRow {
	t.Helper()
	r := parquet.NewGenericReader[parquetRow](bytes.NewReader(data))
	defer r.Close()
	rows := make([]parquetRow, r.NumRows())
	if _, err := r.Read(rows); err != nil && err != io.EOF { //nolint:errorlint // as it returns it
		t.Fatal(err)
	}
	return rows
}

func TestParquet(t *testing.T) {
	e := export(t, fakeRun(t))
	data := []byte(written(t, e, "parquet"))
	if again := []byte(written(t, e, "parquet")); !bytes.Equal(again, data) {
		t.Error("the same run gives other bytes")
	}
	rows := readParquet(t, data)
	if len(rows) != 8 {
		t.Fatalf("%d rows, want 8", len(rows))
	}
	r := rows[5]
	if r.Method != "a/b <RAG>" || r.Seed != 7 || r.Answer != hostile || r.Cost == nil || *r.Cost != 0.25 || *r.TokensInput != 101 {
		t.Errorf("row 5 is %+v", r)
	}
	if len(r.Labels) != 2 || r.Labels[0].Name != "depth" || r.Labels[1].Value != "dev" {
		t.Errorf("labels are %+v", r.Labels)
	}
	if len(r.Evidence) != 2 || r.Evidence[0].Text != hostile || r.Evidence[0].Score != 0.5 || !slices.Equal(r.Evidence[0].Sources, []string{"D1:1", "D1:9"}) || len(r.Evidence[1].Sources) != 0 {
		t.Errorf("evidence is %+v", r.Evidence)
	}
	if r := rows[0]; r.F1 == nil || *r.F1 != 0 || r.Cost != nil || r.Blocks != nil || r.ErrorKind != nil || len(r.Labels) != 0 {
		t.Errorf("row 0 is %+v, want a score of 0 and nulls elsewhere", r)
	}
	if r := rows[0]; r.Judge == nil || *r.Judge != "gpt-5" || r.Correct == nil || !*r.Correct || *r.JudgeWhy != hostile {
		t.Errorf("row 0 is %+v, want what was said last of its answer", r)
	}
	if r := rows[1]; r.Judge != nil || r.Correct != nil || r.JudgeWhy != nil {
		t.Errorf("row 1 is %+v, want no judgement: it is of another answer", r)
	}
	if got := rows[1].Start; got == nil || !got.Equal(start.Add(time.Second)) {
		t.Errorf("row 1 began at %v", got)
	}
	if r := rows[3]; r.Gold != nil || r.F1 != nil {
		t.Errorf("row 3 is %+v, want neither gold nor score", r)
	}
	if r := rows[6]; r.ErrorKind == nil || *r.ErrorKind != "refused" || *r.ErrorMessage != "no: "+hostile {
		t.Errorf("row 6 is %+v, want its error", r)
	}
}

// TestParquetColumns checks the names and types that others rely on.
func TestParquetColumns(t *testing.T) {
	data := []byte(written(t, export(t, fakeRun(t)), "parquet"))
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, c := range f.Schema().Fields() {
		kind := "group"
		if c.Leaf() {
			kind = c.Type().String()
		}
		if c.Optional() {
			kind += " or null"
		}
		columns = append(columns, c.Name()+" "+kind)
	}
	want := strings.Split(`id STRING, run STRING, cell STRING, dataset STRING, method STRING, use STRING, model STRING, reader STRING, offline BOOLEAN, `+
		`seed INT(64,false), sample STRING, request STRING, category STRING, category_name STRING, labels group, question STRING, gold STRING or null, `+
		`variants group, gold_evidence group, answer STRING, status STRING, error_kind STRING or null, error_message STRING or null, attempts INT(64,true), `+
		`evidence group, tokens_input INT(64,true) or null, tokens_output INT(64,true) or null, usage group, cost_usd DOUBLE or null, latency_ms DOUBLE or null, `+
		`stages group, start TIMESTAMP(isAdjustedToUTC=true,unit=MICROS) or null, judge STRING or null, judged_correct BOOLEAN or null, judge_why STRING or null, why group, score_f1@mem0 DOUBLE or null, score_bleu1@nltk DOUBLE or null, score_tokens-query DOUBLE or null, `+
		`score_blocks DOUBLE or null`, ", ")
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if got, want := f.Metadata().CreatedBy, "recallbench version 1.2(build )"; got != want {
		t.Errorf("created by %q, want %q", got, want)
	}
}

// Texts of any kind come back, and two runs go into one file.
func TestParquetRuns(t *testing.T) {
	a, b := fakeRun(t), fakeRun(t)
	b.Header.Cells[0].Method = strings.Repeat("long ", 1<<16)
	e, err := interchange.New([]*asked.Run{a, b}, interchange.Options{Metric: specs, Version: "1.2"})
	if err != nil {
		t.Fatal(err)
	}
	if rows := readParquet(t, []byte(written(t, e, "parquet"))); len(rows) != 16 || rows[8].Method != b.Header.Cells[0].Method {
		t.Errorf("%d rows", len(rows))
	}
}
