package transcript

import (
	"testing"
	"time"

	"recallbench/datasets"
)

func TestText(t *testing.T) {
	at := time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC)
	image := &datasets.Image{URL: "https://example.org/x.jpg", Caption: "a dog\non a sofa", Query: "dog sofa"}
	for _, tt := range []struct {
		images Images
		turn   datasets.Turn
		want   string
	}{
		{
			CaptionsAndQuery,
			datasets.Turn{Speaker: "Ana", Text: " Look:\n my dog! ", Time: at, Image: image},
			"[8 May 2023 13:56] Ana: Look: my dog! [image: a dog on a sofa] [image search: dog sofa]",
		},
		{Captions, datasets.Turn{Speaker: "Ana", Text: "Look", Time: at, Image: image}, "[8 May 2023 13:56] Ana: Look [image: a dog on a sofa]"},
		{Captions, datasets.Turn{Image: image}, "[image: a dog on a sofa]"},
		{Captions, datasets.Turn{Image: &datasets.Image{}}, ""},
	} {
		if got := Text(tt.images.Line(tt.turn)); got != tt.want {
			t.Errorf("%d: %q, want %q", tt.images, got, tt.want)
		}
	}
}
