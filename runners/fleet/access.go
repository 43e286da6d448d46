package fleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
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
		return a, fmt.Errorf("%s lacks a run or a token; want the file that 'bench serve' wrote", path)
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

// MakeKeys returns the keys of a run that lie in a folder, or makes them.
func MakeKeys(dir, run string) (k Keys, err error) {
	k.Path = filepath.Join(dir, "worker.json")
	server := filepath.Join(dir, "server.pem")
	k.Access, err = ReadAccess(k.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = k.write(dir, run, server)
	case err == nil && k.Run != run:
		err = fmt.Errorf("%s belongs to run %s, not to run %s; remove it, and serve writes a new one", k.Path, k.Run, run)
	}
	if err == nil {
		k.certificate, err = tls.LoadX509KeyPair(server, server)
	}
	return k, err
}

// write makes keys. Workers know the certificate by its hash, so that it never expires
// and names no host.
func (k *Keys) write(dir, run, server string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}
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
	access, err := json.MarshalIndent(k.Access, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	// The access file comes last: where it is, the other one is.
	if err := os.WriteFile(server, text, 0o600); err != nil {
		return err
	}
	return os.WriteFile(k.Path, append(access, '\n'), 0o600)
}

// errCertificate says that somebody else answers than who wrote the access file.
var errCertificate = errors.New("the coordinator's certificate is not that of the access file")

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

// Program names the build of this process, which b describes. Other builds may give
// other records: where neither a release nor a commit tells the source, it names the file.
func Program(b record.Binary) string {
	text := "version " + b.Version
	if b.Commit != "" {
		text += ", commit " + b.Commit
	}
	if b.Dirty || b.Commit == "" && b.Version == "devel" {
		text += ", file with SHA-256 " + ownSum()
	}
	return text
}

// ownSum is the hash of this program's file, or why there is none.
var ownSum = sync.OnceValue(func() string {
	path, err := os.Executable()
	sum := ""
	if err == nil {
		sum, err = hashOf(path)
	}
	if err != nil {
		return err.Error()
	}
	return sum
})

// hashOf returns the SHA-256 of a file in hexadecimal digits.
func hashOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	return hex.EncodeToString(h.Sum(nil)), err
}
