package datafile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/files/datafile"
	"recallbench/internal/testkit/try"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	try.Do(t, os.WriteFile(path, []byte("1234"), 0o644))
	const limit = 1 << 20
	if data, err := datafile.Read(t.Context(), path, limit); err != nil || string(data) != "1234" {
		t.Errorf("read %q, error %v", data, err)
	}
	try.Do(t, os.Truncate(path, limit+1))
	check := func(path, want string) {
		t.Helper()
		_, err := datafile.Read(t.Context(), path, limit)
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	check(path, path+": is larger than 1 MiB, the limit")
	check(dir, dir+": is a folder, want a file")
	check(path+"x", path+"x: no such file or directory")
	if _, err := datafile.Read(t.Context(), path+"x", limit); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v does not wrap fs.ErrNotExist", err)
	}
}

func TestCheckText(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		got := ""
		if err := datafile.CheckText("f", []byte(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	check("", "")
	check("é\ufffd\n", "") // the replacement character itself is text
	check("a\nb\xc3", "f:2: byte 0xc3 at offset 3 is not UTF-8; save the file as UTF-8")
	check("\xed\xa0\x80", "f:1: byte 0xed at offset 0 is not UTF-8; save the file as UTF-8")
}

func TestFaults(t *testing.T) {
	f := datafile.Faults{File: "a"}
	if err := f.Err(); err != nil {
		t.Errorf("no faults are %v", err)
	}
	f.Addf(1, "no %s", "end")
	f.File = "b"
	f.Addf(2, "wrapped: %w", fs.ErrInvalid)
	err := f.Err()
	if want := "a:1: no end\nb:2: wrapped: invalid argument"; err.Error() != want || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("got %v, want %s", err, want)
	}
	for range datafile.MaxFaults {
		f.Addf(3, "more")
	}
	lines := strings.Split(f.Err().Error(), "\n")
	if len(lines) != datafile.MaxFaults+1 || lines[datafile.MaxFaults] != "b: and 2 more faults" || !f.Full() {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	if again := f.Err(); again.Error() != strings.Join(lines, "\n") {
		t.Error("asking twice gives two errors")
	}
}
