package fleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"time"

	"recallbench/internal/result/record"
	"recallbench/internal/text/redact"
)

// An Access lets a worker reach a coordinator: the file that users bring to the
// machines of workers.
type Access struct {
	Run string `json:"run"`
	// Token is the password of workers.
	Token string `json:"token"`
	// Certificate is the SHA-256 of the coordinator's certificate, which the worker
	// trusts and no other.
	Certificate []byte `json:"certificate_sha256"`
}

// ReadAccess reads the access file of a run.
func ReadAccess(path string) (a Access, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("%s: %w", path, err)
	}
	if a.Run == "" || a.Token == "" {
		return a, fmt.Errorf("%s has no run or no token; want the file that 'bench serve' wrote", path)
	}
	redact.Register(a.Token)
	return a, nil
}

// Keys are the access of workers and the certificate of the coordinator.
type Keys struct {
	Access
	Path        string // of the access file
	certificate tls.Certificate
}

// The files of keys, which their owner alone can read.
const (
	accessFile = "worker.json"
	serverFile = "server.pem"
)

// MakeKeys returns the keys of a run that lie in a folder, or makes them.
func MakeKeys(dir, run string) (k Keys, err error) {
	k.Path = filepath.Join(dir, accessFile)
	server := filepath.Join(dir, serverFile)
	k.Access, err = ReadAccess(k.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return k, k.write(dir, run, server)
	case err == nil && k.Run != run:
		err = fmt.Errorf("%s is of run %s, not of run %s; remove it, and it is made again", k.Path, k.Run, run)
	case err == nil:
		k.certificate, err = tls.LoadX509KeyPair(server, server)
	}
	return k, err
}

func (k *Keys) write(dir, run, server string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 100))
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "bench run " + run},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), // workers know it by its hash; clocks may differ
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(der)
	k.Access = Access{Run: run, Token: rand.Text(), Certificate: sum[:]}
	redact.Register(k.Token)
	k.certificate = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	access, err := json.MarshalIndent(k.Access, "", "  ")
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	// The access file comes last: where it is, the other one is.
	for _, f := range []struct {
		path string
		data []byte
	}{{server, text}, {k.Path, append(access, '\n')}} {
		if err := os.WriteFile(f.path, f.data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// errCertificate says that somebody else answers than who wrote the access file.
var errCertificate = errors.New("the coordinator shows another certificate than that of the access file")

// client is the configuration of a worker, which trusts the certificate alone.
func (a Access) client() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection checks more: the one certificate
		VerifyConnection: func(s tls.ConnectionState) error {
			sum := sha256.Sum256(s.PeerCertificates[0].Raw)
			if string(sum[:]) != string(a.Certificate) {
				return errCertificate
			}
			return nil
		},
	}
}

// sameProgram reports that two programs may give other records. Sum is that of the
// worker, which decides where a commit does not say all.
func sameProgram(run, worker record.Binary, sum string) error {
	same := run.Version == worker.Version && run.Commit == worker.Commit && run.Dirty == worker.Dirty
	if own := programSum(run); same && own != sum {
		return fmt.Errorf("the worker is another build of %s; start the same file, or build both from one commit without changes", programText(run))
	}
	if !same {
		return fmt.Errorf("the worker is %s, the run is of %s; start the same program", programText(worker), programText(run))
	}
	return nil
}

// programSum is the SHA-256 of this program where its description does not tell its
// source: neither a release nor a commit without changes. Else it is empty.
func programSum(b record.Binary) string {
	if !b.Dirty && (b.Commit != "" || b.Version != "devel") {
		return ""
	}
	return ownSum()
}

var ownSum = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return err.Error()
	}
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err.Error()
	}
	return hex.EncodeToString(h.Sum(nil))
})

func programText(b record.Binary) string {
	text := "version " + b.Version
	if b.Commit != "" {
		text += ", commit " + b.Commit
	}
	if b.Dirty {
		text += " with changes"
	}
	return text
}
