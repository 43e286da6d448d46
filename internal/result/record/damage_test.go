package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// sealedRun writes a complete run of two requests with digests and scores.
func sealedRun(tb testing.TB) record.Folder {
	tb.Helper()
	f, err := record.Create(filepath.Join(tb.TempDir(), "run"))
	try.Do(tb, err)
	h := record.Header{
		ID: "r", Status: record.Complete, Datasets: []record.Dataset{{Label: "d", Requests: 2}},
		Cells: []record.Cell{{ID: "c", Dataset: "d", Planned: 2}},
	}
	try.Do(tb, os.Mkdir(f.Cell("c"), 0o755))
	block := record.BlockID("s", "b", "text", []string{"t1"})
	for path, lines := range map[string][]any{
		f.Gold("d"):       {record.Gold{Sample: "s", Request: "q0"}, record.Gold{Sample: "s", Request: "q1"}},
		f.Blocks("c"):     {record.Block{Block: block, Sample: "s", Name: "b", Text: "text", Sources: []string{"t1"}}},
		f.Ingests("c"):    {record.Ingest{Sample: "s", Status: record.OK}},
		f.Records("c"):    {finished("q0", block), finished("q1", block)},
		f.Scores():        {record.Score{Cell: "c", Sample: "s", Request: "q0"}, record.Score{Cell: "c", Sample: "s", Request: "q1"}},
		f.Judgements("c"): {record.Judgement{Sample: "s", Request: "q0", Judge: "j"}},
	} {
		log, _, err := record.OpenLog(path)
		try.Do(tb, err)
		try.Do(tb, errors.Join(log.Append(lines...), log.Close()))
	}
	from, err := f.Derivation(h)
	scores, err2 := record.WriteDigested(f.Scores(), func(w io.Writer) error {
		_, err := w.Write(try.Get(os.ReadFile(f.Scores()))(tb))
		return err
	})
	h.Scored = &record.Scored{Digest: scores, From: from}
	try.Do(tb, errors.Join(err, err2, record.WriteSummary(string(f), nil), f.Seal(&h, nil, f.Judgements("c")), f.WriteHeader(h)))
	return f
}

func finished(request, block string) record.Record {
	return record.Record{Sample: "s", Request: request, Status: record.OK, Answer: "an answer", Evidence: []record.BlockRef{{Block: block}}}
}

// replace changes a file.
func replace(tb testing.TB, path string, change func(string) string) {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(change(string(data))), 0o644)
	}
	try.Do(tb, err)
}

// edit returns a change of one text to another.
func edit(from, to string) func(string) string {
	return func(s string) string { return strings.Replace(s, from, to, 1) }
}

// swapLines exchanges the first two lines.
func swapLines(s string) string {
	lines := strings.SplitAfter(s, "\n")
	lines[0], lines[1] = lines[1], lines[0]
	return strings.Join(lines, "")
}

// Each kind of damage is named by file and line, and nothing is changed by looking.
func TestVerify(t *testing.T) {
	const records, scores = "cells/c/records.jsonl", "scores.jsonl"
	for name, tt := range map[string]struct {
		file   string
		change func(string) string // nil removes the file
		want   []string
	}{
		"whole":         {records, edit("", ""), nil},
		"edited":        {records, edit("an answer", "another"), []string{"edited cells/c/records.jsonl:0"}},
		"gold":          {"gold/d.jsonl", edit("q1", "q2"), []string{"edited gold/d.jsonl:0"}},
		"missing":       {records, nil, []string{"missing cells/c/records.jsonl:0"}},
		"empty":         {records, func(string) string { return "" }, []string{"lost cells/c/records.jsonl:0"}},
		"torn":          {records, func(s string) string { return s[:len(s)-10] }, []string{"lost cells/c/records.jsonl:0"}},
		"unparsable":    {records, edit(`{"sample"`, `{"sample`), []string{"unparsable cells/c/records.jsonl:1"}},
		"repeated":      {records, func(s string) string { return s + strings.SplitAfter(s, "\n")[0] }, []string{"duplicate cells/c/records.jsonl:0"}},
		"out of order":  {records, swapLines, []string{"edited cells/c/records.jsonl:0"}},
		"blocks gone":   {"cells/c/blocks.jsonl", nil, []string{"missing cells/c/blocks.jsonl:0"}},
		"judgement":     {"cells/c/judgements.jsonl", edit(`"j"`, `"k"`), []string{"edited cells/c/judgements.jsonl:0"}},
		"scores edited": {scores, edit("q1", "q2"), []string{"stale scores.jsonl:0"}},
		"scores gone":   {scores, nil, []string{"stale scores.jsonl:0"}},
		"summary gone":  {"summary.json", nil, []string{"stale summary.json:0"}},
		"header edited": {"run.json", edit(`"c"`, `"x"`), []string{"edited run.json:0"}},
		"header cut":    {"run.json", func(s string) string { return s[:len(s)/2] }, []string{"unparsable run.json:0"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := sealedRun(t)
			path := filepath.Join(string(f), filepath.FromSlash(tt.file))
			if tt.change == nil {
				try.Do(t, os.Remove(path))
			} else {
				replace(t, path, tt.change)
			}
			v, err := record.Verify(string(f))
			try.Do(t, err)
			var got []string
			for _, fault := range v.Faults {
				name, err := filepath.Rel(string(f), fault.File)
				try.Do(t, err)
				line := fault.Line
				if name == "run.json" {
					line = 0 // of a header it depends on its layout
				}
				got = append(got, fmt.Sprintf("%s %s:%d", fault.Kind, filepath.ToSlash(name), line))
			}
			for _, want := range tt.want {
				if !slices.Contains(got, want) {
					t.Errorf("faults %q, want %q", got, want)
				}
			}
			if (len(got) == 0) != (len(tt.want) == 0) || v.Damaged() != (len(tt.want) > 0) {
				t.Errorf("faults %q, want %q", got, tt.want)
			}
			_, _, err = record.Open(string(f), record.WithScores)
			if record.IsDamage(err) != (len(tt.want) > 0 && tt.file != "summary.json") {
				t.Errorf("Open: %v", err)
			}
		})
	}
}

// An edit can be accepted, and is then noted; a line that is lost cannot.
func TestAcceptEdits(t *testing.T) {
	f := sealedRun(t)
	replace(t, f.Records("c"), edit("an answer", "another"))
	_, h, err := record.Open(string(f), record.AcceptEdits)
	if want := []record.Edit{{File: "cells/c/records.jsonl"}}; err != nil || !slices.Equal(h.Accepted, want) {
		t.Errorf("accepted %v, %v; want %v", h.Accepted, err, want)
	}
	if want := "edited after the run, and the edit accepted: cells/c/records.jsonl"; h.EditedNote() != want {
		t.Errorf("note %q, want %q", h.EditedNote(), want)
	}
	if _, _, err := record.Open(string(f), record.AcceptEdits, record.WithScores); err == nil || !strings.Contains(err.Error(), "bench score "+string(f)) {
		t.Errorf("scores of the records before the edit: %v", err)
	}
	replace(t, f.Records("c"), func(s string) string { return strings.SplitAfter(s, "\n")[0] })
	if _, _, err := record.Open(string(f), record.AcceptEdits); !record.IsDamage(err) || !strings.Contains(err.Error(), "1 of the 2 lines") {
		t.Errorf("a lost line is accepted: %v", err)
	}
}

// A killed run has no digests, and its lines are read one by one.
func TestVerifyWithoutDigests(t *testing.T) {
	f := sealedRun(t)
	_, h, err := record.Open(string(f))
	try.Do(t, err)
	h.Files, h.Scored, h.Status = nil, nil, record.Started
	try.Do(t, f.WriteHeader(h))
	if v, err := record.Verify(string(f)); err != nil || v.Digests || v.Damaged() {
		t.Errorf("%+v, %v", v, err)
	}
	replace(t, f.Records("c"), edit("q1", "q2"))
	if v, err := record.Verify(string(f)); err != nil || len(v.Faults) != 1 || v.Faults[0].Kind != record.Unknown || v.Faults[0].Line != 2 {
		t.Errorf("a record of no request: %+v, %v", v, err)
	}
}

// Repair moves a file that is not as the run wrote it, or that has a line that cannot be
// read, and loses no byte of it.
func TestRepair(t *testing.T) {
	for _, sealed := range []bool{true, false} {
		f := sealedRun(t)
		_, h, err := record.Open(string(f))
		try.Do(t, err)
		if !sealed {
			h.Files, h.Status = nil, record.Started
			try.Do(t, f.WriteHeader(h))
		}
		replace(t, f.Records("c"), func(s string) string { return edit("an answer", "another")(s) + "more" })
		spoiled := try.Get(os.ReadFile(f.Records("c")))(t)
		r, err := f.Repair(&h, func() error { return errors.New("nothing is wrong with the gold answers") })
		if err != nil || !slices.Equal(r.Files, []string{f.Records("c")}) || len(h.Files) > 0 || h.Status != record.Started {
			t.Errorf("%+v, header %+v, %v", r, h, err)
		}
		moved, err := os.ReadFile(filepath.Join(string(f), "damaged", "cells", "c", "records.jsonl"))
		if err != nil || !bytes.Equal(moved, spoiled) {
			t.Errorf("moved: %q, %v", moved, err)
		}
		if _, _, err := record.Open(string(f)); err != nil {
			t.Errorf("the repaired run: %v", err)
		}
	}
}

// What no kill leaves at the end of a log is not cut off.
func TestLogKeepsOtherBytes(t *testing.T) {
	for _, end := range []string{"\x00\x00\x00", "\xff\xfe", "no json", "{]", "[1,"} {
		path := write(t, "{}\n"+end)
		if _, _, err := record.OpenLog(path); !record.IsDamage(err) {
			t.Errorf("%q: %v", end, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "{}\n"+end {
			t.Errorf("%q became %q, %v", end, data, err)
		}
	}
	path := write(t, "{}\n{\"a\":")
	log, dropped, err := record.OpenLog(path)
	if err != nil || dropped != 5 {
		t.Fatalf("dropped %d, %v", dropped, err)
	}
	try.Do(t, log.Close())
	if data, err := os.ReadFile(path + ".damaged"); err != nil || string(data) != "{\"a\":\n" {
		t.Errorf("moved %q, %v", data, err)
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	try.Do(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// Temporary files of killed writers go when the next one takes the folder.
func TestLockSweeps(t *testing.T) {
	f := sealedRun(t)
	var left []string
	for _, dir := range []string{".", "gold", "cells/c", "memories/m", "tables"} {
		path := filepath.Join(string(f), filepath.FromSlash(dir), ".x.123.unfinished")
		try.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)))
		left = append(left, path)
	}
	if v, err := record.Verify(string(f)); err != nil || len(v.Faults) != len(left) || v.Damaged() {
		t.Errorf("before: %+v, %v", v, err)
	}
	unlock, err := f.Lock()
	try.Do(t, err)
	defer func() {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}()
	for _, path := range left {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is there", path)
		}
	}
}

// FuzzFolder damages a run folder: nothing panics, what opens is what the run
// wrote, and a repaired folder holds lines of the run and no others.
func FuzzFolder(f *testing.F) {
	files := []string{"run.json", "scores.jsonl", "gold/d.jsonl", "cells/c/records.jsonl", "cells/c/ingests.jsonl", "cells/c/blocks.jsonl", "cells/c/judgements.jsonl"}
	f.Add(uint8(3), uint16(10), uint16(5), []byte("x"))
	f.Add(uint8(0), uint16(300), uint16(1), []byte{0})
	f.Add(uint8(5), uint16(0), uint16(9999), []byte{})
	f.Fuzz(func(t *testing.T, file uint8, at, length uint16, put []byte) {
		folder := sealedRun(t)
		whole := make(map[string][]byte)
		for _, name := range files {
			data, err := os.ReadFile(filepath.Join(string(folder), filepath.FromSlash(name)))
			try.Do(t, err)
			whole[name] = data
		}
		name := files[int(file)%len(files)]
		data := whole[name]
		from := int(at) % (len(data) + 1)
		to := min(from+int(length), len(data))
		damaged := slices.Concat(data[:from], put, data[to:])
		path := filepath.Join(string(folder), filepath.FromSlash(name))
		try.Do(t, os.WriteFile(path, damaged, 0o644))
		same := bytes.Equal(data, damaged)
		if _, _, err := record.Open(string(folder), record.WithScores); err == nil && !same && name != "run.json" {
			t.Errorf("%s with %q at %d for %d bytes opens", name, put, from, to-from)
		}
		_, _, _ = record.Open(string(folder), record.AcceptEdits, record.WithScores)
		if v, err := record.Verify(string(folder)); err == nil && !v.Damaged() && !same && name != "run.json" {
			t.Errorf("%s with %q at %d for %d bytes verifies", name, put, from, to-from)
		}
		_, h, err := record.Open(string(folder), record.ForRepair)
		if err != nil {
			return
		}
		if _, err := folder.Repair(&h, func() error {
			return os.WriteFile(folder.Gold("d"), whole["gold/d.jsonl"], 0o644)
		}); err != nil {
			t.Fatalf("repair: %v", err)
		}
		for _, name := range files[2:6] {
			now, err := os.ReadFile(filepath.Join(string(folder), filepath.FromSlash(name)))
			if err != nil {
				continue
			}
			for line := range bytes.Lines(now) {
				if !bytes.Contains(whole[name], line) {
					t.Errorf("%s has %q after the repair", name, line)
				}
			}
		}
	})
}
