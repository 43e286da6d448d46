package fleet

import (
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A Link is a connection of a coordinator to NATS.
type Link struct {
	conn *nats.Conn
	// URL is where workers reach the coordinator.
	URL    string
	close  func() error
	others func() int // connections beside the coordinator's; nil where a cluster has them
}

// Close ends the connection, and the server that [Listen] started.
func (l *Link) Close() error { return l.close() }

// Names of a run's subjects, its stream and its consumer. A worker asks under its user
// name, a random one, and * stands for all.
func askSubject(run, user string) string { return "bench." + run + ".ask." + user }
func inbox(user string) string           { return "_INBOX." + user }
func overSubject(run string) string      { return "bench." + run + ".over" }
func unitSubject(run string) string      { return "bench." + run + ".unit" }
func streamName(run string) string       { return "bench-" + run }

const consumerName = "workers"

// readyTime is how long the embedded server may take to start.
const readyTime = 10 * time.Second

// Listen starts a NATS server in this process, which workers reach at an address
// such as ":4222" with the token and the certificate of the keys.
func Listen(address string, k Keys) (*Link, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w; want HOST:PORT", address, err)
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("address %q: port %q, want 0 to 65535", address, text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	dir, err := os.MkdirTemp("", "bench-queue-")
	if err != nil {
		return nil, err
	}
	own := rand.Text()
	stream := streamName(k.Run)
	s, err := server.NewServer(&server.Options{
		ServerName: stream, Host: host, Port: port, NoLog: true, NoSigs: true,
		MaxPayload: maxMessage, MaxPending: 8 * maxMessage, PingInterval: pingTime,
		JetStream: true, StoreDir: dir, JetStreamMaxMemory: 1 << 30, JetStreamMaxStore: 1 << 50, // the user's own files, as far as the disk goes
		TLS: true, TLSConfig: &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{k.certificate}}, TLSTimeout: 5,
		CustomClientAuthentication: doorkeeper{own, k},
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.Start()
	stop := func() error {
		s.Shutdown()
		s.WaitForShutdown()
		return os.RemoveAll(dir)
	}
	if !s.ReadyForConnections(readyTime) {
		return nil, errors.Join(fmt.Errorf("no NATS server at %s: is another program listening there?", address), stop())
	}
	conn, err := nats.Connect("", nats.InProcessServer(s), nats.UserInfo("coordinator", own))
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	ended := func() error {
		conn.Close()
		return stop()
	}
	return &Link{conn, "tls://" + s.Addr().String(), ended, func() int { return s.NumClients() - 1 }}, nil
}

// A doorkeeper lets the coordinator do all, and a worker no more than ask, take units
// and read files, each under a name and with answers of its own.
type doorkeeper struct {
	coordinator string // password
	keys        Keys
}

// isWorker matches the user names of workers, which nobody can guess.
var isWorker = regexp.MustCompile(`^[A-Z2-7]{26}$`).MatchString

// Check implements [server.Authentication].
func (d doorkeeper) Check(c server.ClientAuthentication) bool {
	name, password := c.GetOpts().Username, []byte(c.GetOpts().Password)
	stream := streamName(d.keys.Run)
	switch {
	case name == "coordinator" && subtle.ConstantTimeCompare(password, []byte(d.coordinator)) == 1:
		c.RegisterUser(&server.User{Username: name})
	case isWorker(name) && subtle.ConstantTimeCompare(password, []byte(d.keys.Token)) == 1:
		c.RegisterUser(&server.User{Username: name, Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: []string{
				askSubject(d.keys.Run, name), "$JS.API.CONSUMER.INFO." + stream + "." + consumerName,
				"$JS.API.CONSUMER.MSG.NEXT." + stream + "." + consumerName, "$JS.ACK." + stream + "." + consumerName + ".>",
				// Reading the object store:
				"$JS.API.STREAM.INFO.OBJ_" + stream, "$JS.API.DIRECT.GET.OBJ_" + stream + ".>",
				"$JS.API.CONSUMER.CREATE.OBJ_" + stream + ".>", "$JS.API.CONSUMER.DELETE.OBJ_" + stream + ".>", "$JS.FC.OBJ_" + stream + ".>",
			}},
			Subscribe: &server.SubjectPermission{Allow: []string{inbox(name) + ".>", overSubject(d.keys.Run)}},
		}})
	default:
		return false
	}
	return true
}

// Join connects a coordinator to a NATS cluster with JetStream, at addresses with
// commas between them. Credentials are a file of NATS; empty for none.
func Join(url, credentials string) (*Link, error) {
	conn, err := nats.Connect(url, clusterOptions(credentials)...)
	if err != nil {
		return nil, fmt.Errorf("NATS at %s: %w", url, err)
	}
	return &Link{conn: conn, URL: url, close: func() error {
		conn.Close()
		return nil
	}}, nil
}

// clusterOptions are how a cluster is reached: again and again until the run is over.
// A connection that a network cuts off is found lost after two pings.
func clusterOptions(credentials string) []nats.Option {
	options := []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectWait/10, reconnectWait/10),
		nats.PingInterval(pingTime), nats.MaxPingsOutstanding(2),
	}
	if credentials != "" {
		options = append(options, nats.UserCredentials(credentials))
	}
	return options
}

// reconnectWait is how long a connection that was lost waits before it is tried
// again.
const reconnectWait = time.Second

// pingTime is how often either side of a connection looks whether the other is there.
const pingTime = 10 * time.Second
