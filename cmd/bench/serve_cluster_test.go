package main

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	natsserver "github.com/nats-io/nats-server/v2/server"

	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/runners/fleet"
)

// newCluster starts three NATS servers and returns them when they agree.
func newCluster(t *testing.T) (all []*natsserver.Server, urls string) {
	t.Helper()
	var routes []*url.URL
	var ports []int
	for range 3 {
		l := try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		routes = append(routes, &url.URL{Scheme: "nats", Host: l.Addr().String()})
		l.Close()
	}
	var clients []string
	for i, port := range ports {
		s, err := natsserver.NewServer(&natsserver.Options{
			ServerName: fmt.Sprint("node-", i), Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoLog: true, NoSigs: true,
			Cluster: natsserver.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: port}, Routes: routes,
			JetStream: true, StoreDir: t.TempDir(), JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 64 << 20, MaxPayload: 32 << 20, MaxPending: 256 << 20,
		})
		try.Do(t, err)
		s.Start()
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("a node of the cluster does not start")
		}
		all, clients = append(all, s), append(clients, s.ClientURL())
	}
	until(t, func() bool {
		return slices.ContainsFunc(all, func(s *natsserver.Server) bool {
			return s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(all)
		})
	})
	return all, strings.Join(clients, ",")
}

// A run goes on with two nodes of a cluster of three.
func TestServeCluster(t *testing.T) {
	longtest.Skip(t)
	server := modelserver.New(t, modelserver.Options{Latency: 100 * time.Millisecond})
	config, model, root := questions(t, 24, 3, "name: live\nconcurrency: {samples: 2, requests: 2}\n"), liveModel(t, server, ""), t.TempDir()
	one, many := filepath.Join(root, "one"), filepath.Join(root, "many")
	must(t, "run", config, "--model", model, "--calls", "off", "--out", one, "--display", "none")
	calls := server.Stats().Arrived
	nodes, urls := newCluster(t)
	s := serve(t.Context(), t, config, "--model", model, "--calls", "off", "--out", many, "--nats", urls, "--patience", "4s")
	access := try.Get(fleet.ReadAccess(s.access))(t)
	var working sync.WaitGroup
	for range 3 {
		working.Go(func() {
			if r := s.work(t); r.code != 0 {
				t.Errorf("a worker ends with %d\n%s", r.code, r.stderr)
			}
		})
	}
	until(t, func() bool { return server.Stats().Arrived-calls >= 10 })
	lost := slices.IndexFunc(nodes, func(n *natsserver.Server) bool { return n.JetStreamIsStreamLeader("$G", "bench-"+access.Run) })
	if lost < 0 {
		t.Fatal("no node leads the queue of the run")
	}
	nodes[lost].Shutdown()
	working.Wait()
	s.ended(t, 0)
	if diff := cmp.Diff(recorded(t, one), recorded(t, many)); diff != "" {
		t.Errorf("(-one +many):\n%s", diff)
	}
	t.Logf("%d calls for %d replies", server.Stats().Arrived-calls, calls)
}
