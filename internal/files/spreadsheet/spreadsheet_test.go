package spreadsheet

import (
	"bytes"
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

func TestInert(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := Inert(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if got := Text(Inert(text)); got != text {
			t.Errorf("%q: restored as %q", text, got)
		}
	}
	for _, text := range []string{"", "plain", "a=b", "5 - 3", "-3.2", "+3", "-.5", "-1e-5", "-1E+05", "-12.", "-", "+", "=", "'tis", "'-5", "'"} {
		check(text, text)
	}
	for _, text := range []string{
		`=HYPERLINK("http://x")`, "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", " =1+1", "\t=1", "\r=1", "\tx", "\n=1", "＝1+1", "- item", "+49 30 1234",
		"-1e", "-Inf", "-0x1p-2", "-1_000", "-1.2.3", "-1e5.0", "--1", "=1", "-1%", "-1-1", "--", "'=1", "''=1",
	} {
		check(text, "'"+text)
	}
}

func TestWriter(t *testing.T) {
	var b bytes.Buffer
	rows := [][]string{{"a", "=b,\"c\""}, {"-1.5", "line\nline"}, {"\xff", "'=x"}}
	try.Do(t, NewWriter(&b).WriteAll(rows))
	if want := "a,\"'=b,\"\"c\"\"\"\n-1.5,\"line\nline\"\n\ufffd,''=x\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	back := try.Get(csv.NewReader(&b).ReadAll())(t)
	rows[2][0] = "\ufffd"
	for i, row := range back {
		for j := range row {
			row[j] = Text(row[j])
		}
		if !slices.Equal(row, rows[i]) {
			t.Errorf("row %d is %q, want %q", i, row, rows[i])
		}
	}
}

// Everything that writes CSV does so by this package.
func TestOnlyWriter(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	read := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "spreadsheet.go" {
			return err
		}
		data, err := os.ReadFile(path)
		if read++; bytes.Contains(data, []byte("csv.NewWriter(")) && !bytes.Contains(data, []byte("spreadsheet.NewWriter(")) || bytes.Contains(data, []byte("= csv.NewWriter(")) {
			t.Errorf("%s writes CSV by itself", path)
		}
		return err
	})
	if err != nil || read < 100 {
		t.Errorf("read %d files: %v", read, err)
	}
}
