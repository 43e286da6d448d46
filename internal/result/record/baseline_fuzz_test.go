package record_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
)

// Whatever the file of a baseline's scores holds, it is read or refused, and what is
// read is the same when it was written again.
func FuzzBaselineScores(f *testing.F) {
	f.Add([]byte("cell,sample,request,category,status,label:turn,value:f1\nc,s,q,1,ok,3,0.5\nc,s,q2,1,error,,\n"))
	f.Add([]byte("cell,sample,request,category,status\n\"a\"\"\n\",,,,\n"))
	f.Add([]byte("cell,sample,request,category,status,value:\n,,,,,1e400\n"))
	read := func(data []byte) (all []record.Score, err error) {
		for s, err := range record.DecodeScores(bytes.NewReader(data)) {
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
		return all, nil
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := read(data)
		if err != nil || len(first) == 0 {
			return
		}
		var again bytes.Buffer
		if err := record.WriteScores(&again, stream(first...)); err != nil {
			return // a carriage return
		}
		second, err := read(again.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("(-first +second):\n%s", diff)
		}
	})
}
