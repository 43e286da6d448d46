package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"

	"recallbench/internal/backend/price"
	"recallbench/internal/door/fault"
	"recallbench/internal/text/suggest"
)

// A trial is a model behind a server that is being tried.
type trial struct {
	*checkup
	door string // name of the door and of its options
	Server
	model string

	key    string
	names  []string // of the models that the server lists
	listed bool     // the server lists models
	has    bool     // and this one among them
}

// option names an option for a remedy.
func (t *trial) option(name string) string { return "options." + t.door + "." + name }

// findKey finds the key, which is never shown, and reports whether there is
// one or none is named.
func (t *trial) findKey() bool {
	key, err := t.Key.Read(t.env)
	if err == nil {
		t.key = key
		return true
	}
	remedy := "put the key, and nothing else, into the file that " + t.option("key.file") + " names"
	if t.Key.Env != "" {
		remedy = "export " + t.Key.Env + "=..., with the key and nothing else"
	}
	detail, _, _ := strings.Cut(err.Error(), "; ")
	t.missing(t.door+" key", strings.TrimPrefix(strings.TrimPrefix(detail, "key.env: "), "key.file: "), remedy)
	return false
}

// reach asks the server for its models. It reports whether the server was
// reached; whether the model and the key are good, a call decides, since some
// servers list nothing, and others to anybody.
func (t *trial) reach(ctx context.Context, list func(context.Context) ([]string, error), has func([]string) bool) bool {
	what := t.door + " server"
	err := try(ctx, min(listTime, t.Limits.Attempt), func(ctx context.Context) (err error) {
		t.names, err = list(ctx)
		return err
	})
	switch kind := fault.KindOf(err); {
	case err == nil:
		t.listed, t.has = true, has(t.names)
		t.good(what, t.BaseURL+" lists "+plural(len(t.names), "model"))
	case kind == fault.Connection, kind == fault.Timeout:
		t.unreached(what, err)
		return false
	case ctx.Err() != nil:
		return false
	case kind == fault.Server, kind == fault.RateLimit:
		t.warn(what, t.BaseURL+" was reached, but has trouble: "+t.said(err), "try again later")
	case kind == fault.Auth:
		t.good(what, t.BaseURL+" was reached")
	default:
		t.good(what, t.BaseURL+" was reached; it lists no models")
	}
	return true
}

// unreached reports that a server was not reached, or was lost, and why.
func (t *trial) unreached(what string, err error) {
	address := t.option("base_url")
	detail, remedy := t.said(err), "look whether the server is well, and "+address+" right"
	dns, isDNS := errors.AsType[*net.DNSError](err)
	_, isTLS := errors.AsType[*tls.CertificateVerificationError](err)
	_, isPlain := errors.AsType[tls.RecordHeaderError](err)
	_, isAuthority := errors.AsType[x509.UnknownAuthorityError](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		detail, remedy = "the connection is refused", "start the server, or correct "+address
	case isDNS:
		detail, remedy = "no such host: "+dns.Name, "correct "+address
	case isPlain, strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		detail, remedy = "the server does not speak TLS", "begin "+address+" with http://"
	case isTLS, isAuthority:
		remedy = "correct " + address + ", or let this machine trust the server's certificate"
	}
	t.missing(what, t.BaseURL+": "+detail, remedy)
}

// judge says of a call whether key, account and model were good, and reports
// whether the model replied.
func (t *trial) judge(err error) bool {
	kind := fault.KindOf(err)
	t.judgeKey(kind, err)
	if kind == fault.Auth || kind == fault.Quota {
		return false
	}
	what := t.door + " model"
	switch {
	case kind == fault.NoModel:
		remedy := "correct " + t.option("model") + " or " + t.option("base_url")
		if t.listed {
			remedy = "correct " + t.option("model") + ": " + nearest(t.model, t.names)
		}
		t.missing(what, t.said(err), remedy)
	case kind == fault.Connection, kind == fault.Timeout:
		t.unreached(t.door+" reply", err)
	case err != nil:
		t.missing(t.door+" reply", t.said(err), t.remedyOf(kind))
	case t.listed && !t.has:
		t.warn(what, t.model+" replies, but the server does not list it", "look whether another model replies in its place: "+nearest(t.model, t.names))
	default:
		t.good(what, t.model)
	}
	return err == nil
}

func (t *trial) judgeKey(kind fault.Kind, err error) {
	what := t.door + " key"
	where := "none is named"
	switch {
	case t.Key.Env != "":
		where = "from the environment variable " + t.Key.Env
	case t.Key.File != "":
		where = "from the file " + t.Key.File
	}
	switch {
	case kind == fault.Auth && t.key == "":
		t.missing(what, "none is named, and the server wants one: "+t.said(err), "name it: "+t.option("key")+": {env: NAME}")
	case kind == fault.Auth:
		t.missing(what, where+", refused: "+t.said(err), "take a key that the server knows and that may use "+t.model)
	case kind == fault.Quota:
		t.missing(t.door+" account", t.said(err), "pay, or raise the account's own limit")
	case err == nil || kind == fault.Rejected || kind == fault.NoModel:
		t.good(what, where)
	}
}

func (t *trial) remedyOf(kind fault.Kind) string {
	switch kind {
	case fault.RateLimit:
		return "wait, or set " + t.option("limits") + " to what the account takes"
	case fault.Server, fault.BadReply:
		return "look whether the server is well, and " + t.option("base_url") + " right"
	case fault.Refused:
		return "look at the content filter of the account"
	default:
		return ""
	}
}

// checkPrice says what the model costs.
func (t *trial) checkPrice(own *price.Listing) {
	what := t.door + " price"
	rates, known := t.env.Prices.Find(t.model)
	from := "the price table"
	if own != nil {
		rates, known, from = own.Rates(), true, t.option("price")
	}
	remedy := "set " + t.option("price") + " to {input: ..., output: ...}, in dollars for a million tokens"
	switch {
	case known:
		t.good(what, fmt.Sprintf("$%v for a million tokens read and $%v written, from %s", rates.Input, rates.Output, from))
	case t.env.BudgetUSD:
		t.missing(what, "that of "+t.model+" is not known, and budget.usd needs it", remedy)
	default:
		t.warn(what, "that of "+t.model+" is not known, nor will be what a run costs", remedy)
	}
}

// said returns what a fault says, in one line, without naming the model and
// the server once more.
func (t *trial) said(err error) string {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return inLine(err.Error())
	}
	text := strings.TrimPrefix(e.Message, "model "+strconv.Quote(t.model)+" at "+strings.TrimSuffix(t.BaseURL, "/")+": ")
	if e.Status != 0 {
		text = fmt.Sprintf("HTTP %d: %s", e.Status, text)
	}
	return inLine(text)
}

// maxListed is how many models a remedy names.
const maxListed = 12

// nearest says which models a server has: the one with a near name, or all.
func nearest(model string, names []string) string {
	if found, ok := suggest.Find(model, names); ok {
		return "did you mean " + found + "?"
	}
	switch more := len(names) - maxListed; {
	case len(names) == 0:
		return "the server has none"
	case more > 0:
		return "the server has " + strings.Join(names[:maxListed], ", ") + " and " + plural(more, "other")
	default:
		return "the server has " + strings.Join(names, ", ")
	}
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
