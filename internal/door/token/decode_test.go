package token

import (
	"strings"
	"testing"

	loader "github.com/pkoukk/tiktoken-go-loader"

	"recallbench/internal/testkit/try"
)

func TestDecode(t *testing.T) {
	const text = "Ana\u2019s dog Rex was asleep \u2014 \u043f\u0440\u0438\u0432\u0435\u0442 \U0001F600\n\n  x=1;"
	for _, encoding := range Encodings() {
		ids, _, err := libraryCodecs[encoding]().Encode(text)
		try.Do(t, err)
		whole := make([]int, len(ids))
		for i, id := range ids {
			whole[i] = int(id)
		}
		if got, err := Decode(encoding, whole); err != nil || got != text {
			t.Errorf("%s: %q, %v", encoding, got, err)
		}
		for _, id := range []int{-1, 1 << 40, 300000} {
			if _, err := Decode(encoding, []int{id}); err == nil || !strings.Contains(err.Error(), "is not a token of "+encoding) {
				t.Errorf("%s: id %d: error %v", encoding, id, err)
			}
		}
	}
	// As OpenAI's tiktoken has it.
	if got, err := Decode("cl100k_base", []int{15339, 1917}); err != nil || got != "hello world" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Decode("none", nil); err == nil {
		t.Error("an unknown encoding decodes")
	}
}

// TestVocabularies compares the embedded vocabularies with OpenAI's files.
func TestVocabularies(t *testing.T) {
	for _, encoding := range Encodings() {
		ranks := try.Get(loader.NewOfflineLoader().LoadTiktokenBpe(encoding + ".tiktoken"))(t)
		v := embedded[encoding].vocabulary()
		for token, rank := range ranks {
			if id, ok := v.id(token); v.token(rank) != token || !ok || int(id) != rank {
				t.Fatalf("%s: token %d is %q, %q is %d", encoding, rank, v.token(rank), token, id)
			}
		}
		try.Equal(t, encoding, len(ranks), len(v.ends))
	}
}
