package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/live"
	"recallbench/internal/publish/server"
	metricsuite "recallbench/metrics/suite"
	"recallbench/runners"
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
	addresses := []string{f.addr}
	if f.addr == "" {
		addresses = nil
		for port := range viewPorts {
			addresses = append(addresses, fmt.Sprintf("127.0.0.1:%d", firstPort+port))
		}
	}
	for _, address := range addresses {
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", address); err == nil {
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
		a.log().Warn("the connection to browsers is not encrypted; anybody in between can read the token and all runs")
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

// viewConfig returns what to serve; end closes the recordings and the chats.
func (a *app) viewConfig(args []string, flags viewFlags) (config server.Config, end func(), err error) {
	c, err := a.viewCatalog(args)
	if err != nil {
		return config, nil, err
	}
	recorded := &recordings{app: a, named: flags.store}
	config = server.Config{
		Token: server.NewToken(), Catalog: c, Open: recorded.openBook, Contrast: contrast, Notes: a.notes(flags.readOnly), Log: a.log(),
		Hub: live.NewHub(live.Config{Metric: metricsuite.Find, Alone: runners.ScoredAlone, Scorer: runners.RecordScorer, Now: time.Now}),
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
			a.log().Warn("closing the chats failed", "error", err)
		}
	}, nil
}

// viewCatalog returns the catalog of the folders, runs and baselines in the arguments.
func (a *app) viewCatalog(args []string) (*catalog.Catalog, error) {
	if len(args) == 0 {
		args = []string{"results"}
	}
	var dirs []string
	for _, arg := range args {
		dirs = append(dirs, scoredFolder(arg))
	}
	return catalog.New(dirs, baselineFolder(""), catalog.Options{
		Metric: metricsuite.Find, Summarize: summarize, Now: time.Now, Log: a.log(),
	})
}
