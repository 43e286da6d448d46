package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/price"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/publish/live"
	"recallbench/internal/publish/report"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/transcript"
	metricsuite "recallbench/metrics/suite"
	"recallbench/runners"
	"recallbench/runners/chat"
)

func newViewCommand(a *app) *cobra.Command {
	var flags viewFlags
	cmd := &cobra.Command{
		Use:   "view [FOLDER|RUN]...",
		Short: "Browse runs, including those in progress",
		Long: `View serves the runs and baselines below some folders, results by default, to the
browser: an index, a page for each run, comparisons, and the progress of running runs.
It prints the address to open, and serves until interrupted. It never locks run folders,
and adds only the notes that people write.

The address contains a token, new at each start; requests without it are refused. The
server listens on this machine only. From another machine, use a tunnel: ssh -L
7878:127.0.0.1:7878 HOST. Another --addr needs --host, the name that browsers use, and
is not encrypted.`,
		Example: `  bench view
  bench view RUN1 RUN2 --addr 127.0.0.1:9000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return usageError(err)
			}
			return a.view(cmd.Context(), args, flags)
		},
	}
	cmd.Flags().StringVar(&flags.addr, "addr", "", "`address` to listen on (default: 127.0.0.1:7878, or the next free port of 20)")
	cmd.Flags().StringVar(&flags.host, "host", "", "`name` and port by which browsers reach the server; needed if --addr is open to other machines")
	cmd.Flags().StringVar(&flags.store, "store", "", "`folder` of the recordings for transcripts (default: that of a run's config, $BENCH_CALLS, results/calls)")
	cmd.Flags().StringVar(&flags.trees, "trees", "", "`folder` of your own suites that chats may open")
	cmd.Flags().StringArrayVar(&flags.models, "model", nil, "`file` of a model entry that chats may use; may be repeated")
	cmd.Flags().Float64Var(&flags.budget, "chat-budget", 0, "`dollars` that chats may spend; with 0, chats cannot use models that cost something")
	cmd.Flags().BoolVar(&flags.readOnly, "read-only", false, "allow no notes and no chats")
	return cmd
}

type viewFlags struct {
	addr, host, store, trees string
	models                   []string
	budget                   float64
	readOnly                 bool
}

// The address on which view listens; if the port is taken, it tries the next ports.
const (
	firstPort = 7878
	viewPorts = 20
)

// check reports an address that other machines can reach without a given name.
func (f viewFlags) check() error {
	if f.addr == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(f.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w; want an address such as 127.0.0.1:%d", err, firstPort)
	}
	if f.host == "" && !isLoopback(host) {
		return fmt.Errorf("--addr %s can be reached from other machines; give its name, such as --host bench.example:%s, or listen on 127.0.0.1:%d and use ssh -L", f.addr, port, firstPort)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// listen listens, and returns the authorities of the server, the one to open first.
func (f viewFlags) listen(ctx context.Context) (l net.Listener, hosts []string, err error) {
	for port := range viewPorts {
		address := cmp.Or(f.addr, fmt.Sprintf("127.0.0.1:%d", firstPort+port))
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", address); err == nil || f.addr != "" {
			break
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--addr: %w; name another address or a free port", err)
	}
	hosts = []string{l.Addr().String()}
	if _, port, err := net.SplitHostPort(hosts[0]); err == nil {
		hosts = append(hosts, "localhost:"+port)
	}
	if f.host != "" {
		hosts = append([]string{f.host}, hosts...)
	}
	return l, hosts, nil
}

// view serves until ctx ends.
func (a *app) view(ctx context.Context, args []string, flags viewFlags) error {
	config, end, err := a.viewConfig(args, flags)
	if err != nil {
		return usageError(err)
	}
	defer end()
	l, hosts, err := flags.listen(ctx)
	if err != nil {
		return usageError(err)
	}
	config.Hosts = hosts
	if host, _, err := net.SplitHostPort(l.Addr().String()); err != nil || !isLoopback(host) {
		a.log.Warn("the connection to browsers is not encrypted; anybody in between can read the token and all runs")
	}
	if err := a.say("http://%s/#token=%s", hosts[0], config.Token); err != nil {
		return errors.Join(err, l.Close())
	}
	s := server.New(config).HTTP()
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return s.Close()
	}
}

var notInReviewers = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// viewConfig returns what to serve; end closes the recordings and the chats.
func (a *app) viewConfig(args []string, flags viewFlags) (config server.Config, end func(), err error) {
	c, err := a.viewCatalog(args)
	if err != nil {
		return config, nil, err
	}
	recorded := &recordings{app: a, named: flags.store}
	reviewer := strings.Trim(notInReviewers.ReplaceAllString(a.env("USER"), "-"), "-") // who writes notes
	config = server.Config{
		Token: server.NewToken(), Catalog: c, Open: recorded.openBook, Contrast: contrast, Log: a.log,
		Notes: &note.Book{Reviewer: cmp.Or(reviewer, "reviewer"), ReadOnly: flags.readOnly, Now: time.Now},
		Hub:   live.NewHub(live.Config{Metric: metricsuite.Find, Alone: runners.ScoredAlone, Scorer: runners.RecordScorer, Now: time.Now}),
	}
	if flags.readOnly {
		return config, recorded.end, nil
	}
	engine, err := a.chats(flags)
	if err != nil {
		return config, nil, err
	}
	config.Chat = engine.Handler()
	return config, func() {
		recorded.end()
		if err := engine.Close(); err != nil {
			a.log.Warn("closing the chats failed", "error", err)
		}
	}, nil
}

// viewCatalog returns the catalog of the folders, runs and baselines in the arguments.
func (a *app) viewCatalog(args []string) (*catalog.Catalog, error) {
	if len(args) == 0 {
		args = []string{"results"}
	}
	return catalog.New(lists.Map(args, scoredFolder), baselineFolder(""), catalog.Options{
		Metric: metricsuite.Find, Summarize: func(dir string) ([]record.SummaryRow, error) { return report.SummarizeFolder(dir, reportOptions()) }, Now: time.Now, Log: a.log,
	})
}

// A viewBook holds what pages show of runs, with their recordings.
type viewBook struct {
	*htmlreport.Book
	recorded *recordings
}

// openBook returns what pages show of the runs in some folders.
func (r *recordings) openBook(dirs []string) (server.Book, error) {
	page, err := (&webFlags{unscored: true}).page(dirs)
	if err != nil {
		return nil, err
	}
	book, err := page.Open()
	return viewBook{book, r}, err
}

// Calls returns the transcript of a request.
func (b viewBook) Calls(n int) (any, error) {
	t, _, err := b.read(n)
	return t, err
}

// Prompts compares the prompts of two requests.
func (b viewBook) Prompts(n, other int) (any, error) {
	left, blocksLeft, err := b.read(n)
	if err != nil {
		return nil, err
	}
	right, blocksRight, err := b.read(other)
	if err != nil {
		return nil, err
	}
	return transcript.Pairs(left, right, blocksLeft, blocksRight), nil
}

// read returns the transcript of a request and the blocks that it refers to.
func (b viewBook) read(n int) (*transcript.Transcript, []string, error) {
	q, err := b.Scored(n)
	if err != nil {
		return nil, nil, err
	}
	run := b.Run(n)
	subject, err := transcript.Whole(run.Folder, q)
	if err != nil {
		return nil, nil, err
	}
	source, err := b.recorded.source(run.Folder)
	if err != nil {
		return nil, nil, err
	}
	t, err := source.Read(subject)
	return t, subject.Blocks, err
}

// recordings holds the stores that transcripts of runs are read from.
type recordings struct {
	app   *app
	named string // by --store
	mu    sync.Mutex
	open  map[record.Folder]*transcript.Source
}

// asked returns the prompts and replies of a request, without the calls of its memory and
// its judge.
func (r *recordings) asked(run *scored.Run, q scored.Request) (*transcript.Transcript, error) {
	source, err := r.source(run.Folder)
	if err != nil {
		return nil, err
	}
	return source.Read(transcript.Of(q))
}

// source returns where the calls of a run are looked up: in the folder named, else in that
// of its config or of the environment. Without recordings, all calls are missing.
func (r *recordings) source(run record.Folder) (*transcript.Source, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.open[run]; s != nil {
		return s, nil
	}
	dir := r.named
	if c, err := config.Load(run.Config(), suite.Plugins()); dir == "" && err == nil && c.Calls.Store != "" {
		dir = c.Path(c.Calls.Store)
	}
	dir = callsDir(dir, r.app.env)
	s := &transcript.Source{Prices: price.Builtin()}
	switch what := record.Describe(dir); {
	case what == "a folder":
		store, err := calls.OpenToRead(dir, r.app.log)
		if err != nil {
			return nil, err
		}
		s.Store = store
	case r.named != "":
		return nil, usageError(fmt.Errorf("there are no recordings: %s is not a folder; --store names another", dir))
	}
	if r.open == nil {
		r.open = make(map[record.Folder]*transcript.Source)
	}
	r.open[run] = s
	return s, nil
}

// end closes the stores.
func (r *recordings) end() {
	for _, s := range r.open {
		if s.Store != nil {
			_ = s.Store.Close() // it was only read
		}
	}
}

// contrast compares sides with a base as bench compare does, and prints it as JSON.
func contrast(base server.Side, others []server.Side, columns []string, by string) ([]byte, error) {
	if err := oneOf("by", by, []string{report.Category}); err != nil {
		return nil, err
	}
	o := report.ContrastOptions{Options: reportOptions()}
	o.By, o.Columns, o.Unit, o.Correct = by, columns, report.BySample, infer.MaxT
	all, err := sides(lists.Map(append([]server.Side{base}, others...), func(s server.Side) string { return strings.TrimSuffix(s.Dir+":"+s.Row, ":") }), editsFlag{})
	for _, s := range all {
		row := func(c record.Cell) string { return c.Method + "@" + c.Model }
		if rows := lists.Distinct(s.Header.Cells, row); len(rows) > 1 && s.Method != "" {
			err = errors.Join(err, fmt.Errorf("%s has several models: want one of %s", s.Method, strings.Join(rows, ", ")))
		}
	}
	if err != nil {
		return nil, err
	}
	rows, notes, err := report.Contrasts(all[0], all[1:], o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.ContrastTable(rows, notes, o, true).Write(&b, "json")
	return b.Bytes(), err
}

// chats holds the chats below results/chats.
func (a *app) chats(flags viewFlags) (*chat.Engine, error) {
	models := make(map[string]any)
	for _, path := range flags.models {
		_, err := modelConfig(path, 1)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return nil, err
		}
		models[strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))] = path
	}
	env, err := a.runEnv("")
	if err != nil {
		return nil, err
	}
	store := callsDir(flags.store, a.env)
	house := chat.House{
		Plugins: suite.Plugins(), Models: models, Trees: flags.trees, Env: env,
		Recorder: func(mode calls.Mode) (*calls.Recorder, error) { return calls.OpenRecorder(mode, store, a.log) },
	}
	return &chat.Engine{
		Dir: filepath.Join("results", "chats"), Open: house.Open, Choices: house.Choices, Budget: budget.New(0, flags.budget), Now: time.Now, Log: a.log,
		Store: func() (*calls.Store, error) { return calls.OpenToRead(store, a.log) },
	}, nil
}

func newReportCommand(a *app) *cobra.Command {
	var flags webFlags
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "Write a self-contained HTML report",
		Long: `Report writes one HTML file with the tables, figures and settings of scored runs, and
every question with its gold answer, answer, scores, evidence with the gold turns
marked, tokens, times, errors, edits and trace. The file loads nothing from elsewhere.
docs/scores.md explains when an answer is right.

Without --out, the file of a run is report.html in its folder. It contains texts of the
dataset, whose licence applies to it.`,
		Example: `  bench report results/runs/20260101T000000Z-quickstart-1a2b3c4d
  bench report RUN1 RUN2 --out both.html --column judge`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := flags.check(args); err != nil {
				return usageError(err)
			}
			page, err := flags.page(args)
			if err != nil {
				return usageError(err)
			}
			if flags.full {
				recorded := &recordings{app: a}
				defer recorded.end()
				page.Calls = recorded.asked
			}
			if err := a.writeOut(flags.out, page.Write); err != nil {
				return err
			}
			return a.say("%s", flags.out)
		},
	}
	cmd.Flags().StringVar(&flags.out, "out", "", "`file` to write (default: report.html in the folder of the run)")
	columnFlag(cmd, &flags.column)
	publishedFlag(cmd, &flags.published)
	cmd.Flags().BoolVar(&flags.anonymous, "anonymous", false, "leave out what identifies machines: command lines, configs, accounts, settings of datasets and models")
	cmd.Flags().BoolVar(&flags.full, "full", false, "include all prompts and replies, the trees and memories that questions saw, and people's labels and notes with their names; the page may become large")
	cmd.MarkFlagsMutuallyExclusive("anonymous", "full")
	flags.edits.add(cmd)
	return cmd
}

type webFlags struct {
	out, column string
	unscored    bool // whether runs without scores are shown
	anonymous   bool
	full        bool
	published   []string
	edits       editsFlag
}

func (f *webFlags) check(args []string) (err error) {
	switch {
	case f.out != "":
		_, err = outFormat(f.out, "", "html", map[string]string{".html": "html", ".htm": "html"})
	case len(args) > 1:
		err = errors.New("several runs need --out, such as --out report.html")
	default:
		f.out = filepath.Join(args[0], reportFile)
	}
	return err
}

// page returns the page of runs.
func (f *webFlags) page(args []string) (*htmlreport.Page, error) {
	open := scoredRun
	if f.unscored {
		open = openRun
	}
	runs, err := openRuns(args, f.edits, open)
	if err != nil {
		return nil, err
	}
	o := reportOptions()
	o.By, o.Intervals = report.Category, true
	choosePublished(&o, f.published, configured(runs))
	p, err := htmlreport.New(runs, o)
	if err == nil {
		p.Column, p.Anonymous = f.column, f.anonymous
	}
	return p, err
}
