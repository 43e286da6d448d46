package calls

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unsafe"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
)

// A Key identifies a recording: the SHA-256 of its canonical request.
type Key [sha256.Size]byte

// String returns the key in hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// MarshalText implements [encoding.TextMarshaler]: hexadecimal digits.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) != 2*len(k) {
		return fmt.Errorf("a key of %d digits, want %d", len(text), 2*len(k))
	}
	_, err := hex.Decode(k[:], text)
	return err
}

// ID returns the first 16 digits, by which records name a call.
func (k Key) ID() string { return hex.EncodeToString(k[:8]) }

// A Text is one text of a call: a message, a text to embed or to
// annotate, a premise or a hypothesis.
type Text struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// A Call is a complete canonical request: everything its reply depends on.
type Call struct {
	Kind     Kind
	Identity Identity
	Role     string // what a chat call is for
	Texts    []Text
	parameters
}

// parameters are what a chat call asks for besides its texts. The order of the fields is
// part of every key.
type parameters struct {
	Format *llm.Format `json:"format,omitempty"`
	llm.Params
	Plain  bool      `json:"plain,omitempty"`
	Repeat int       `json:"repeat,omitempty"`
	Wire   *llm.Wire `json:"wire,omitempty"`
}

// An identity is an Identity in canonical form.
type identity struct {
	Identity
	json []byte
}

func newIdentity(id Identity) (identity, error) {
	if len(id.Fixed) > 0 {
		dec := json.NewDecoder(bytes.NewReader(id.Fixed))
		dec.UseNumber()
		var fixed any
		err := dec.Decode(&fixed)
		if err == nil {
			id.Fixed, err = marshal(fixed)
		}
		if err != nil {
			return identity{}, fmt.Errorf("fixed parameters of %s: %w", id.Model, err)
		}
	}
	data, err := marshal(id)
	return identity{id, data}, err
}

// chat returns the call that a request of a chat model makes.
func chat(id identity, r llm.Request) *Call {
	c := &Call{
		Kind: Chat, Identity: id.Identity, Role: r.Role, Texts: make([]Text, len(r.Messages)),
		parameters: parameters{r.Format, r.Params, r.Plain, r.Repeat, r.Wire},
	}
	for i, m := range r.Messages {
		c.Texts[i] = Text{string(m.Role), m.Content}
	}
	return c
}

// Request returns the request that made a chat call.
func (c *Call) Request() llm.Request {
	r := llm.Request{Role: c.Role, Format: c.Format, Params: c.Params, Plain: c.Plain, Repeat: c.Repeat, Wire: c.Wire}
	for _, t := range c.Texts {
		r.Messages = append(r.Messages, llm.Message{Role: llm.Role(t.Role), Content: t.Content})
	}
	return r
}

func embedding(id identity, kind embed.Kind, text string) *Call {
	return &Call{Kind: Embed, Identity: id.Identity, Texts: []Text{{string(kind), text}}}
}

func entailment(id identity, p nli.Pair) *Call {
	return &Call{Kind: Entail, Identity: id.Identity, Texts: []Text{{"premise", p.Premise}, {"hypothesis", p.Hypothesis}}}
}

// form is the version of the canonical form.
const form = 1

// canonical is the canonical form of a call. The order of its fields is part
// of every key.
type canonical struct {
	Form     int             `json:"form"`
	Call     Kind            `json:"call"`
	Identity json.RawMessage `json:"identity,omitempty"`
	Role     string          `json:"role,omitempty"`
	Texts    []canonicalText `json:"texts,omitempty"`
	parameters
}

type canonicalText struct {
	Role   string `json:"role,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// canonical returns the canonical form without the identity and the hashes of
// texts.
func (c *Call) canonical() canonical {
	form := canonical{Form: form, Call: c.Kind, Role: c.Role, Texts: make([]canonicalText, len(c.Texts)), parameters: c.parameters}
	if t := form.Temperature; t != nil && *t == 0 {
		form.Temperature = new(0.0) // not -0, which samples no otherwise
	}
	for i, t := range c.Texts {
		form.Texts[i].Role = t.Role
	}
	return form
}

// form returns the canonical form of a call of the identity.
func (c *Call) form(id identity) ([]byte, error) {
	form := c.canonical()
	form.Identity = id.json
	for i, t := range c.Texts {
		sum := sha256.Sum256(bytesOf(t.Content))
		form.Texts[i].SHA256 = hex.EncodeToString(sum[:])
	}
	return marshal(form)
}

// key returns the key of a call of the identity.
func (c *Call) key(id identity) (Key, error) {
	data, err := c.form(id)
	return sha256.Sum256(data), err
}

// stored returns the texts that stand for a call of an identity: the canonical
// request without identity and hashes, and the texts sent.
func (c *Call) stored() ([]string, error) {
	settings, err := marshal(c.canonical())
	if err != nil {
		return nil, err
	}
	texts := []string{string(settings)}
	for _, t := range c.Texts {
		texts = append(texts, t.Content)
	}
	return texts, nil
}

// restore is the inverse of stored. It checks that the call has a key.
func restore(id []byte, texts []string, want Key) (*Call, identity, error) {
	if len(texts) == 0 {
		return nil, identity{}, errors.New("a request without settings")
	}
	var short Identity
	if err := json.Unmarshal(id, &short); err != nil {
		return nil, identity{}, fmt.Errorf("identity: %w", err)
	}
	full, err := newIdentity(short)
	if err != nil {
		return nil, identity{}, err
	}
	var form canonical
	if err := json.Unmarshal([]byte(texts[0]), &form); err != nil {
		return nil, identity{}, fmt.Errorf("settings: %w", err)
	}
	c := &Call{Kind: form.Call, Identity: full.Identity, Role: form.Role, Texts: make([]Text, len(form.Texts)), parameters: form.parameters}
	if texts = texts[1:]; len(texts) != len(c.Texts) {
		return nil, identity{}, fmt.Errorf("%d texts for %d roles", len(texts), len(c.Texts))
	}
	for i, t := range form.Texts {
		c.Texts[i] = Text{t.Role, texts[i]}
	}
	k, err := c.key(full)
	if err == nil && k != want {
		err = errors.New("its key is that of another request")
	}
	return c, full, err
}

// bytesOf returns the bytes of s without a copy. They must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
