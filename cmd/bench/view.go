package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/live"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/record"
	"recallbench/internal/result/transcript"
	metricsuite "recallbench/metrics/suite"
)

func newViewCommand(a *app) *cobra.Command {
	var flags viewFlags
	cmd := &cobra.Command{
		Use:   "view [FOLDER|RUN]...",
		Short: "Browse runs, also while they run",
		Long: `View serves the runs and baselines below some folders, results by default, to
the browser: an index of them, the page of each run, comparisons of several, and
runs that go on as they go. It prints the address to open and serves until it is
interrupted. Run folders are read, never locked and never changed.

The address holds a token, new at each start, without which nothing is told. The
server listens on this machine alone, on port 7878 or the next free one of 20.
From another machine, tunnel: ssh -L 7878:127.0.0.1:7878 HOST. Another --addr needs
--host, the name that browsers use, and is not encrypted.`,
		Example: `  bench view
  bench view results/runs/20260101T000000Z-quickstart-1a2b3c4d --open
  bench view RUN1 RUN2 --addr 127.0.0.1:9000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return usageError(err)
			}
			return a.view(cmd.Context(), args, flags)
		},
	}
	cmd.Flags().StringVar(&flags.addr, "addr", "", "`address` to listen on (default: 127.0.0.1:7878, or the next free port of 20)")
	cmd.Flags().StringVar(&flags.host, "host", "", "`name` and port that browsers call the server by; needed for an --addr of other machines")
	cmd.Flags().StringVar(&flags.tokenFile, "token-file", "", "`file` with the token, readable by its owner alone (default: a new token)")
	cmd.Flags().StringVar(&flags.store, "store", "", "`folder` of the recordings that transcripts come from (default that of a run's config, $BENCH_CALLS, results/calls)")
	flags.talk.add(cmd)
	cmd.Flags().BoolVar(&flags.open, "open", false, "open the page in the browser")
	return cmd
}

type viewFlags struct {
	addr, host, tokenFile, store string
	open                         bool
	talk                         talkFlags
}

// check reports an address that others can reach and no name is given for.
func (f viewFlags) check() error {
	if f.addr == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(f.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w; want an address such as %s", err, firstAddr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("--addr: port %q, want a number up to 65535", port)
	}
	if f.host == "" && !isLoopback(host) {
		return fmt.Errorf("--addr %s can be reached from other machines; name it with --host, such as --host bench.example:%s, or listen on %s and use ssh -L", f.addr, port, firstAddr)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// firstAddr is where view listens if the port is free, else on one of the ports
// behind it.
const (
	firstAddr = "127.0.0.1:7878"
	firstPort = 7878
	viewPorts = 20
)

func (f viewFlags) listen(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	if f.addr != "" {
		return lc.Listen(ctx, "tcp", f.addr)
	}
	var last error
	for port := range viewPorts {
		l, err := lc.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+port))
		if err == nil {
			return l, nil
		}
		last = err
	}
	return nil, fmt.Errorf("ports %d to %d are taken; name a free one with --addr: %w", firstPort, firstPort+viewPorts-1, last)
}

// hosts are the authorities that the server goes by, the one to open first.
func (f viewFlags) hosts(l net.Listener) []string {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return []string{l.Addr().String()}
	}
	hosts := []string{l.Addr().String(), "localhost:" + port}
	if f.host != "" {
		hosts = append([]string{f.host}, hosts...)
	}
	return hosts
}

// token is that of the token file, or a new one.
func (f viewFlags) token() (string, error) {
	if f.tokenFile == "" {
		return server.NewToken(), nil
	}
	info, err := os.Lstat(f.tokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	if !info.Mode().IsRegular() || !ownAlone(info) {
		return "", fmt.Errorf("--token-file: %s is to be a file of your own that nobody else can read; chmod 600 makes it one", f.tokenFile)
	}
	data, err := os.ReadFile(f.tokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < 22 || strings.ContainsFunc(token, func(r rune) bool { return !strings.ContainsRune(tokenLetters, r) }) {
		return "", fmt.Errorf("--token-file: %s holds no token; want at least 22 letters, digits, dashes and underscores", f.tokenFile)
	}
	return token, nil
}

const tokenLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// view serves until ctx ends.
func (a *app) view(ctx context.Context, args []string, flags viewFlags) error {
	c, err := a.viewCatalog(args)
	if err != nil {
		return usageError(err)
	}
	token, err := flags.token()
	if err != nil {
		return usageError(err)
	}
	l, err := flags.listen(ctx)
	if err != nil {
		return usageError(fmt.Errorf("--addr: %w", err))
	}
	hosts := flags.hosts(l)
	if host, _, err := net.SplitHostPort(l.Addr().String()); err != nil || !isLoopback(host) {
		a.log().Warn("what browsers and this server tell each other is not encrypted; anybody between them reads the token and all runs")
	}
	flags.talk.store = flags.store
	mounts, closeTalk, err := flags.talk.mounts(a, c.Folder)
	if err != nil {
		return errors.Join(usageError(err), l.Close())
	}
	defer closeTalk()
	recorded := &recordings{app: a, named: flags.store, open: make(map[record.Folder]*transcript.Source)}
	defer recorded.end()
	s := server.New(server.Config{
		Token: token, Hosts: hosts, Catalog: c, Open: openBook, Contrast: contrast, Calls: recorded.calls, Prompts: recorded.prompts,
		Hub: live.NewHub(liveConfig()), Page: server.Page(), Mounts: mounts, Log: a.log(), Now: time.Now,
	}).HTTP()
	address := "http://" + hosts[0] + "/#token=" + token
	if _, err := fmt.Fprintln(a.stdout, address); err != nil {
		return errors.Join(err, l.Close())
	}
	if flags.open {
		forget, err := openBrowser(ctx, address)
		if err != nil {
			a.log().Warn("the browser is not opened; open the address yourself", "error", err)
		}
		defer forget()
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return s.Close()
	}
}

// viewCatalog is the catalog of the folders, runs and baselines that are arguments.
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
