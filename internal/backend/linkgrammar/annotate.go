package linkgrammar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
)

// Version is the version of the parser whose links the labels were made for.
const Version = "5.12.0"

// Install says how the parser comes to a machine.
const Install = "install it: apt-get install link-grammar link-grammar-dictionaries-en"

// startTime is how long a process may take to start.
const startTime = 30 * time.Second

// Options say which parser is run and how. What is 0 or empty has its default.
type Options struct {
	Command   string        // name or path of the program; link-parser
	Version   string        // that the program must have; [Version]
	Processes int           // that parse at the same time; 1
	Linkages  int           // that are considered for a sentence; 50
	Timeout   time.Duration // for a sentence; 5 s
}

func (o Options) filled() Options {
	return Options{
		Command: cmp.Or(o.Command, "link-parser"), Version: cmp.Or(o.Version, Version),
		Processes: max(1, o.Processes), Linkages: cmp.Or(o.Linkages, 50),
		Timeout: cmp.Or(o.Timeout, 5*time.Second),
	}
}

// args are the program's arguments. Its own time for a sentence, in whole seconds, is
// a little shorter than Timeout. No second try with other rules follows it ("panic"),
// because what is found must not depend on how fast a machine is. Nothing is guessed
// about spelling, so that words stay those of the sentence.
func (o Options) args() []string {
	return []string{
		"en", "-verbosity=0", "-graphics=0", "-links=0", "-constituents=0", "-postscript=1",
		"-limit=" + strconv.Itoa(o.Linkages), "-timeout=" + strconv.Itoa(max(1, int(o.Timeout.Seconds()*4/5))),
		"-panic=0", "-spell=0",
	}
}

// An Annotator gives dependencies. Each utterance of a request is one sentence.
type Annotator struct {
	options Options
	slots   chan *process // nil in a slot whose process is to be started
	version func() error  // checks it once
	limit   func(sentence string) time.Duration
	mu      sync.Mutex // guards closed
	closed  bool
}

// New returns an annotator. No process is started before the first sentence. A
// program that is not there is an error that says how to install it.
func New(o Options) (*Annotator, error) {
	o = o.filled()
	path, err := exec.LookPath(o.Command)
	if err != nil {
		return nil, fmt.Errorf("link-grammar: no program %q on this machine (%w); %s", o.Command, err, Install)
	}
	o.Command = path
	a := &Annotator{options: o, slots: make(chan *process, o.Processes), limit: func(string) time.Duration { return o.Timeout }}
	for range o.Processes {
		a.slots <- nil
	}
	a.version = sync.OnceValue(a.checkVersion)
	return a, nil
}

// checkVersion asks the program for its version.
func (a *Annotator) checkVersion() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, a.options.Command, "--version")
	cmd.WaitDelay = time.Second
	var said bounded
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s --version: %w", a.options.Command, err)
	}
	_, rest, _ := strings.Cut(said.String(), "link-grammar-")
	if got, _, _ := strings.Cut(rest, " "); got != a.options.Version {
		return fmt.Errorf("%s is version %q, want %s; install that, or name the other as the option version, so that what they find is kept apart",
			a.options.Command, got, a.options.Version)
	}
	return nil
}

// Annotate implements [annotate.Annotator] for the layer of dependencies. The
// tokens are the parser's words, without parts of speech. A sentence that has no
// linkage is unparsed; one at which the parser hung, died or wrote without end is
// unparsed and failed, and costs that process. An error is a parser that cannot
// be started.
func (a *Annotator) Annotate(ctx context.Context, r annotate.Request) (annotate.Document, error) {
	for _, l := range r.Layers {
		if l != annotate.Tokens && l != annotate.Dependencies {
			return annotate.Document{}, fault.New(fault.Rejected, "link-grammar gives %s, not %s", annotate.Dependencies, l)
		}
	}
	doc := annotate.Document{Sentences: make([]annotate.Sentence, len(r.Utterances))}
	p := pool.New().WithMaxGoroutines(a.options.Processes).WithContext(ctx).WithCancelOnError().WithFirstError()
	for i, u := range r.Utterances {
		p.Go(func(ctx context.Context) error {
			s, err := a.parse(ctx, u.Text)
			s.Utterance = i
			doc.Sentences[i] = s
			return err
		})
	}
	if err := p.Wait(); err != nil {
		return annotate.Document{}, err
	}
	return doc, nil
}

// parse parses a sentence.
func (a *Annotator) parse(ctx context.Context, text string) (annotate.Sentence, error) {
	input, ok := line(text)
	if !ok {
		return annotate.Sentence{Unparsed: true}, ctx.Err()
	}
	reply, err := a.ask(ctx, input)
	switch {
	case errors.Is(err, errLost):
		return annotate.Sentence{Unparsed: true, Failed: true}, nil
	case err != nil:
		return annotate.Sentence{}, err
	}
	found, err := parseLinkage(reply)
	if errors.Is(err, errNone) {
		// It says nothing where its own time is over.
		return annotate.Sentence{Unparsed: true, Failed: true}, nil
	}
	var words []word
	if ok = err == nil; ok {
		words, ok = locate(input, found.words)
	}
	if !ok {
		return annotate.Sentence{Unparsed: true}, nil
	}
	return sentence(text, words, dependencies(words, found.links)), nil
}

// sentence puts words and their dependencies together. Walls are left out.
func sentence(text string, words []word, deps []dependency) annotate.Sentence {
	s := annotate.Sentence{Unparsed: len(deps) == 0}
	at := make([]int, len(words))
	for i, w := range words {
		if w.end == 0 {
			continue
		}
		at[i] = len(s.Tokens)
		s.Tokens = append(s.Tokens, annotate.Token{Text: text[w.start:w.end], Lemma: w.text, Start: w.start, End: w.end})
	}
	for _, d := range deps {
		head := -1
		if d.head >= 0 {
			head = at[d.head]
		}
		s.Dependencies = append(s.Dependencies, annotate.Dependency{Head: head, Dependent: at[d.dependent], Label: d.label})
	}
	return s
}

// errLost is that a process was lost over a sentence.
var errLost = errors.New("the parser was lost")

// ask has a process parse a line. A process that fails is ended; its slot starts
// another for the next sentence.
func (a *Annotator) ask(ctx context.Context, input string) (string, error) {
	var r *process
	select {
	case r = <-a.slots:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	defer func() { a.slots <- r }()
	if err := a.open(); err != nil {
		return "", err
	}
	if r == nil {
		var err error
		if r, err = a.start(ctx); err != nil {
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			return "", &fault.Error{Kind: fault.Unavailable, Message: "link-grammar: " + err.Error(), Remedy: "look whether the program runs, and " + Install, Err: err}
		}
	}
	reply, err := r.ask(ctx, input, a.limit(input))
	if err != nil {
		r.close()
		r = nil
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("%w: %w", errLost, err)
	}
	return reply, nil
}

// open reports an annotator that was closed, or whose program is another version.
func (a *Annotator) open() error {
	a.mu.Lock()
	closed := a.closed
	a.mu.Unlock()
	if closed {
		return fault.New(fault.Unavailable, "link-grammar: the parser was closed")
	}
	if err := a.version(); err != nil {
		return &fault.Error{Kind: fault.Unavailable, Message: "link-grammar: " + err.Error(), Err: err}
	}
	return nil
}

// Close ends all processes, each when its sentence is done, and waits until they
// are gone. What is asked afterwards is an error.
func (a *Annotator) Close() error {
	a.mu.Lock()
	closed := a.closed
	a.closed = true
	a.mu.Unlock()
	if closed {
		return nil
	}
	all := make([]*process, 0, a.options.Processes)
	for range a.options.Processes {
		all = append(all, <-a.slots)
	}
	for _, r := range all {
		if r != nil {
			r.close()
		}
		a.slots <- nil
	}
	return nil
}
