package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// output holds where and how a verb prints tables.
type output struct {
	format string
	file   string
}

func (o *output) add(cmd *cobra.Command) {
	cmd.PreRunE = func(*cobra.Command, []string) error { return o.check() }
	choiceFlag(cmd, &o.format, "format", "", report.Formats(), "`format`: "+strings.Join(report.Formats(), ", ")+" (default: by the name of --out, else text)")
	cmd.Flags().StringVar(&o.file, "out", "", "`file` to write instead of stdout")
}

// check determines the format. Verbs call it before any work.
func (o *output) check() (err error) {
	o.format, err = outFormat(o.file, o.format, "text", tableEndings)
	return usageError(err)
}

// write writes tables to the file or to stdout.
func (o *output) write(a *app, d *report.Document) error {
	return a.writeOut(o.file, func(w io.Writer) error { return d.Write(w, o.format) })
}

// printTable prints rows below a header, with tabs between columns.
func (a *app) printTable(header string, rows []string) error {
	return a.columns(strings.Join(append([]string{header}, rows...), "\n") + "\n")
}

// say prints a line to stdout.
func (a *app) say(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format+"\n", args...)
	return err
}

// columns prints text to stdout, aligned in columns at its tabs.
func (a *app) columns(text string) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return w.Flush()
}

// noteInputs notes what a verb may read: its arguments and the values of its flags.
func (a *app) noteInputs(cmd *cobra.Command, args []string) {
	a.inputs = slices.Clone(args)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok {
			a.inputs = append(a.inputs, list.GetSlice()...)
		} else if f.Name != "out" {
			a.inputs = append(a.inputs, f.Value.String())
		}
	})
}

// writeOut writes a file that a person named, as [record.WriteFile] does, or stdout if none is
// named. Every verb writes its outputs through it, so that none replaces files of a run or
// its own inputs.
func (a *app) writeOut(path string, write func(io.Writer) error) error {
	if path == "" {
		return write(a.stdout)
	}
	if err := a.checkOut(path); err != nil {
		return usageError(fmt.Errorf("--out: %w", err))
	}
	return usageError(record.WriteFile(path, write))
}

// reportFile is the only output that may be written into a run folder.
const reportFile = "report.html"

// checkOut refuses a file that lies in a run folder or is an input.
func (a *app) checkOut(path string) error {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	if linked, err := filepath.EvalSymlinks(dir); err == nil { // a missing folder holds nothing
		dir = linked
	}
	for at, name := dir, filepath.Base(path); at != filepath.Dir(at); at, name = filepath.Dir(at), "" {
		if record.IsRun(at) && name != reportFile {
			return fmt.Errorf("%s is in %s, %s, whose files must not be overwritten; choose another folder", path, at, record.Describe(at))
		}
	}
	there, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // what is not there was not read
	}
	for _, input := range a.inputs { // a FILE, FILE#SIDE or NAME=FILE
		file, _, _ := strings.Cut(input, "#")
		for _, name := range []string{input, file, input[strings.LastIndexByte(input, '=')+1:]} {
			if info, err := os.Stat(name); err == nil && os.SameFile(there, info) {
				return fmt.Errorf("%s is an input; choose another file", path)
			}
		}
	}
	return nil
}

// tableEndings maps file name endings to formats of tables.
var tableEndings = map[string]string{".txt": "text", ".md": "markdown", ".csv": "csv", ".json": "json", ".html": "html", ".htm": "html", ".tex": "latex"}

// outFormat returns the format of a file to write: the one given, or the one of its
// ending, or standard if there is no ending or no file. It is an error if name and format
// disagree, or if the file is a folder.
func outFormat(file, format, standard string, endings map[string]string) (string, error) {
	if err := checkFree(file, false); err != nil {
		return "", err
	}
	ending := strings.ToLower(filepath.Ext(file))
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(endings)), func(e string) bool { return format != "" && endings[e] != format })
	switch {
	case ending == "" || len(want) == 0:
		return cmp.Or(format, standard), nil
	case !slices.Contains(want, ending):
		return "", fmt.Errorf("--out: %s ends in %q, want one of %s", file, ending, strings.Join(want, ", "))
	}
	return endings[ending], nil
}

// checkFree reports that a path to write a file or a folder to is taken by something else.
func checkFree(path string, folder bool) error {
	switch what := record.Describe(path); {
	case folder && what == "a file":
		return fmt.Errorf("--out: %s is a file; want a folder, which may be new", path)
	case !folder && what != "" && what != "a file":
		return fmt.Errorf("--out: %s is %s; want a file, such as one in it", path, what)
	}
	return nil
}

// checkInput reports that a file to read is missing or is not a file. Wanted describes the expected content.
func checkInput(file, wanted string) error {
	switch what := record.Describe(file); what {
	case "a file":
		return nil
	case "":
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return fmt.Errorf("there is no file %s; want %s", file, wanted)
	case "the folder of a run":
		return fmt.Errorf("%s is %s, whose config is %s; want %s", file, what, record.Folder(file).Config(), wanted)
	default:
		return fmt.Errorf("%s is %s; want the file of %s", file, what, wanted)
	}
}

// displays are the ways to show progress; auto is a bar in a terminal.
func displays() []string { return []string{"auto", "bar", "plain", "none"} }

// progress returns what shows the progress of a run on stderr.
func (a *app) progress(d string) runners.Progress {
	l := &lines{w: a.stderr, every: plainEvery}
	switch {
	case d == "none":
		return nil
	case d == "bar", d == "auto" && terminal(a.stderr):
		l.every, l.width = barEvery, terminalWidth(a.stderr)
	}
	return l.begin
}

// The time between two lines of a plain display, and between two updates of the line in
// a terminal.
const (
	plainEvery = 10 * time.Second
	barEvery   = 200 * time.Millisecond
)

// Lines show progress as one line every few seconds, even if nothing finishes, or in
// a terminal as one line that is updated.
type lines struct {
	w     io.Writer
	every time.Duration
	width int // of the terminal; 0 for none

	work  runners.Work
	start time.Time
	pace  []seen // of the last minute
}

// begin is a [runners.Progress].
func (l *lines) begin(w runners.Work, state func() runners.State) (end func()) {
	l.work, l.start = w, time.Now()
	l.pace = []seen{{at: l.start}}
	_, _ = fmt.Fprintf(l.w, "%s, %d of them finished before; memories to build: %d\n", report.Plural(w.Requests, "question"), w.Done, w.Memories)
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		ticks := time.Tick(l.every)
		for {
			select {
			case now := <-ticks:
				s := state()
				l.show(l.standing(s, now) + l.left(s, now))
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		ended.Wait()
		l.show(l.standing(state(), time.Now()))
		if l.width > 0 {
			_, _ = fmt.Fprintln(l.w)
		}
	}
}

// show prints a line, which in a terminal replaces the one before. A failure to show
// progress does not stop a run.
func (l *lines) show(text string) {
	if l.width == 0 {
		_, _ = fmt.Fprintln(l.w, text)
		return
	}
	all := []rune(text)
	_, _ = fmt.Fprintf(l.w, "\r\x1b[K%s", string(all[:min(len(all), l.width-1)]))
}

// standing describes what is done, what was spent and how long it has taken.
func (l *lines) standing(s runners.State, now time.Time) string {
	parts := []string{fmt.Sprintf("%d/%d questions, %d failed", l.work.Done+s.Requests, l.work.Requests, s.Failed)}
	if l.work.Memories > 0 {
		parts = append([]string{fmt.Sprintf("%d/%d memories", s.Memories, l.work.Memories)}, parts...)
	}
	if s.Spent.Calls > 0 {
		parts = append(parts, fmt.Sprintf("%d calls (%d recorded), %d tokens", s.Spent.Calls, s.Spent.Reused, s.Spent.Tokens))
	}
	switch usd := s.Spent.USD; {
	case usd == nil:
		parts = append(parts, "price unknown")
	case *usd > 0:
		parts = append(parts, fmt.Sprintf("$%.4f", *usd))
	}
	if s.Retries+s.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%d retries, %d rate limits (429)", s.Retries, s.Refused))
	}
	return strings.Join(append(parts, now.Sub(l.start).Round(time.Second).String()), ", ")
}

// seen is how many questions were finished at some time.
type seen struct {
	at        time.Time
	questions int
}

// left estimates how long the rest takes at the pace of the last minute, if that is
// known: questions answered by recordings say nothing about those that a server answers.
func (l *lines) left(s runners.State, now time.Time) string {
	if now.Sub(l.pace[len(l.pace)-1].at) >= time.Second {
		l.pace = append(l.pace, seen{now, s.Requests})
	}
	for len(l.pace) > 2 && now.Sub(l.pace[1].at) >= time.Minute {
		l.pace = l.pace[1:]
	}
	first := l.pace[0]
	if s.Requests <= first.questions {
		return ""
	}
	each := now.Sub(first.at) / time.Duration(s.Requests-first.questions)
	rest := time.Duration(l.work.Requests-l.work.Done-s.Requests) * each
	return ", about " + rest.Round(time.Second).String() + " left"
}
