package interchange_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"recallbench/internal/publish/interchange"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// TestResultsOfInspect reads logs that Inspect has written.
func TestResultsOfInspect(t *testing.T) {
	dir := filepath.Join(realdata.Fixtures(t), "compare-anything", "inspect")
	for _, c := range []struct {
		name        string
		items, most int // and epochs
		mean        float64
	}{
		{"log_streaming.eval", 2, 2, 0.75},
		{"2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval", 10, 1, 0.8},
		{"log_formats.eval", 1, 1, 0},
		{"log_formats.json", 1, 1, 0},
	} {
		r, err := interchange.ReadResults(t.Context(), filepath.Join(dir, c.name), interchange.ResultOptions{})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		sum, most := 0.0, 0
		for _, it := range r.Items {
			sum += it.Value(r.Column("match"))
			most = max(most, it.Epochs)
		}
		if mean := sum / float64(len(r.Items)); len(r.Items) != c.items || most != c.most || math.Abs(mean-c.mean) > 1e-9 || r.About["task"] != "popularity" {
			t.Errorf("%s: %d items of %d epochs, mean %v, about %v", c.name, len(r.Items), most, mean, r.About)
		}
	}
	_, err := interchange.ReadResults(t.Context(), filepath.Join(dir, "2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval"), interchange.ResultOptions{})
	if err == nil || !strings.Contains(err.Error(), "no scores of its answers (10)") {
		t.Errorf("error is %v", err)
	}
}

// archive makes a log in Inspect's own form, packed by a method.
func archive(t *testing.T, method uint16, entries [][2]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.eval")
	f := try.Get(os.Create(path))(t)
	defer f.Close()
	w := zip.NewWriter(f)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for _, e := range entries {
		in := try.Get(w.CreateHeader(&zip.FileHeader{Name: e[0], Method: method}))(t)
		try.Get(io.WriteString(in, e[1]))(t)
	}
	try.Do(t, w.Close())
	return path
}

// TestResultsOfArchives reads logs that are stored, deflated and packed by Zstandard;
// of two entries of one name the last counts.
func TestResultsOfArchives(t *testing.T) {
	longtest.Skip(t)
	sample := func(id, epoch, scores string) [2]string {
		return [2]string{"samples/" + id + "_epoch_" + epoch + ".json", `{"id": "` + id + `", "epoch": ` + epoch + `, "input": "?", "scores": ` + scores + `}`}
	}
	entries := [][2]string{
		{"header.json", `{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}`},
		sample("a/b", "1", `{"s": {"value": "I"}}`),
		sample("a/b", "1", `{"s": {"value": "C"}, "m": {"value": {"x": 0.25, "y": [1]}}}`),
		sample("a/b", "2", `{"s": {"value": NaN}, "m": {"value": {"x": "0.75", "y": "yes"}}}`),
		{"samples/bad_epoch_1.json", `{"id": "bad", "epoch": 1, "input": "?", "invalidation": {"reason": "x"}, "scores": {"s": {"value": 1}}}`},
		{"summaries.json", "[]"},
	}
	for _, method := range []uint16{zip.Store, zip.Deflate, zstd.ZipMethodWinZip} {
		r, err := interchange.ReadResults(t.Context(), archive(t, method, entries), interchange.ResultOptions{})
		if err != nil {
			t.Errorf("method %d: %v", method, err)
			continue
		}
		values := make(map[string]float64)
		for i, c := range r.Columns {
			values[c.Name] = r.Items[0].Value(i)
		}
		want := map[string]float64{"s": 1, "m/x": 0.5, "m/y": 1}
		if len(r.Items) != 1 || r.Items[0].Key != "a/b" || !maps.Equal(values, want) || len(r.Notes) != 2 {
			t.Errorf("method %d: items %+v, values %v, notes %q", method, r.Items, values, r.Notes)
		}
	}
	_, err := interchange.ReadResults(t.Context(), archive(t, zip.Deflate, append([][2]string{{"_journal/start.json", `{"version": 2, "eval": {}}`}}, entries[1:3]...)), interchange.ResultOptions{})
	if err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("error of an unfinished log is %v", err)
	}
	// Archives of a few kB: a sample of four million values, twelve samples that take
	// little room in memory each, and a head.
	long := strings.Repeat(" ", 6<<20)
	bombs := map[string][][2]string{
		"values":  {entries[0], sample("a", "1", `{"s": {"value": 1}}, "x": [0`+strings.Repeat(",0", 4<<20)+"]")},
		"samples": {entries[0]},
		"head":    {{"header.json", `{"version": 2, "x": [` + strings.Repeat(long+"0,", 12) + "0]}"}, entries[1]},
	}
	for i := range 12 {
		bombs["samples"] = append(bombs["samples"], sample(strconv.Itoa(i), "1", long+`{"s": {"value": 1}}`))
	}
	for name, entries := range bombs {
		if r, err := interchange.ReadResults(t.Context(), archive(t, zip.Deflate, entries), interchange.ResultOptions{}); err == nil {
			t.Errorf("%s: it was read: %d items", name, len(r.Items))
		}
	}
}

// TestResultsRefused names what is wrong with files, and where.
func TestResultsRefused(t *testing.T) {
	bomb := new(bytes.Buffer)
	packed := gzip.NewWriter(bomb)
	_, _ = io.WriteString(packed, `{"detailed_results": {}, "more": [`) // to a buffer
	for range 2100 {
		_, _ = packed.Write([]byte(`"` + strings.Repeat("x", 1<<15) + `",`))
	}
	_ = packed.Close()
	line := `{"doc_id": 0, "doc": {}, "filtered_resps": ["x"], "filter": "none", "metrics": ["acc"], "doc_hash": "h", "acc": 1}` + "\n"
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "the file is empty"},
		{"unknown", "hello there", `unknown format; it begins with "hello there"; want one of amb,`},
		{"cut", `{"evaluations": [], "metadata": {"bench`, "the file is cut off"},
		{"cut in the middle", `{"detailed_results": {"a": [{"question_id": "q`, "the file is cut off"},
		{"twice", "id,score\nq1,1\nq2,0\nq1,0\n", `:4: item "q1", epoch 1, occurs twice, also at line 2`},
		{"short row", "id,score\nq1\n", ":2: wrong number of fields, want 2 fields as the header has"},
		{"no id", "name,score\nq1,1\n", "--id FIELD names the field"},
		{"no score", `{"question_id": "q", "hypothesis": "x"}`, "no scores of its answers (1)"},
		{"second run", line + line, `item "h", epoch 1, occurs twice, also at line 1`},
		{"broken line", line + "{\n", ":2: unexpected end of JSON input"},
		{"status", `{"version": 2, "status": "cancelled", "eval": {}, "samples": []}`, `status is "cancelled"`},
		{"deep", `{"detailed_results": {"a": ` + strings.Repeat("[", 19999) + strings.Repeat("]", 19999) + `}}`, "exceeded max depth"},
		{"deeper", strings.Repeat("[", 9<<20), "exceeded max depth"},
		{"long", `{"detailed_results": {"a": ["` + strings.Repeat("x", 33<<20) + `"]}}`, "longer than 16 MiB"},
		{"bomb", bomb.String(), "unpacks to more than 200 times its size"},
		{"archive", "PK\x03\x04 and more", "damaged or cut off"},
		{"promptfoo's version", `{"evalId": "e", "results": {"version": 9, "results": [{"testIdx": 0, "provider": {"id": "p"}, "score": 1}]}}`, `results.version is "9", want 2 or 3`},
		{"another schema", `{"schema_version": "2.0", "evaluations": [{"id": "a", "cutoff_results": {"top_10": {"score": 1}}}], "metadata": {}}`, `schema_version is "2.0", want 1.0 or 1`},
		{"Inspect's version", `{"version": 1, "status": "success", "eval": {}, "samples": []}`, `version is "1", want 2: the file is from another version`},
		{"our own version", `{"predictions": "recallbench-predictions/9"}` + "\n", `the version is "recallbench-predictions/9"`},
	} {
		path := filepath.Join(t.TempDir(), "in")
		try.Do(t, os.WriteFile(path, []byte(c.in), 0o644))
		if _, err := interchange.ReadResults(t.Context(), path, interchange.ResultOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %s", c.name, err, c.want)
		}
	}
}

// TestResultsOfFolders refuses a folder of files of several tools.
func TestResultsOfFolders(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "id,score\nq1,1\n", "b.json": `{"detailed_results": {}}`} {
		try.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	if _, err := interchange.ReadResults(t.Context(), dir, interchange.ResultOptions{}); err == nil || !strings.Contains(err.Error(), "files of several formats: csv, evermemos; --from chooses one") {
		t.Errorf("a mixed folder: %v", err)
	}
}
