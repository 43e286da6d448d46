package semanticanchoring

// grid returns the weights to choose from. The paper sweeps 0.40, 0.50 ... 0.90
// and wants three weights that sum to 1, which no three of these do. Here the
// weight of similarity takes those values, and entities and discourse share the
// rest in steps of 0.1, 0 allowed. Without discourse relations all of it falls to
// entities.
func grid(options any) []any {
	o := options.(Options)
	var points []any
	for similarity := 4; similarity <= 9; similarity++ {
		rest := 10 - similarity
		for discourse := range rest + 1 {
			if discourse > 0 && !o.Layers.Discourse {
				break
			}
			p := o
			p.Weights.Similarity, p.Weights.Entities, p.Weights.Discourse = tenths(similarity), tenths(rest-discourse), tenths(discourse)
			points = append(points, p)
		}
	}
	return points
}

func tenths(n int) float64 { return float64(n) / 10 }
