package infer

import (
	"math"
	"slices"

	"recallbench/internal/calc/stats"
)

// A CrossedQuestion is a question with its values by seed and judge; all questions
// have the same seeds and judges.
type CrossedQuestion struct {
	Conversation string
	Values       [][]float64 // [seed][judge]
}

// A Source is a part of the variance of values.
type Source struct {
	Name     string  // such as "conversation × judge"
	Levels   float64 // by which its variance is divided in the mean over all values
	Square   float64 // mean square
	Variance float64 // component, in the square of the unit of the values
	Negative bool    // the component was estimated below 0, and is set to 0
}

// NewCrossed splits the variance of values into components of conversations, of
// questions in them, of seeds and of judges that all questions share, and of how both
// differ between conversations (Searle, Casella and McCulloch, 1992). A factor of one
// level has no source. With n₀ as in [NewComponents], S seeds, J judges and N questions:
//
//	σ²_q = (MS_q - MS_r)/(S·J),  σ²_cj = (MS_cj - MS_r)/(n₀·S),  σ²_j = (MS_j - MS_cj)/(N·S),
//	σ²_c = (MS_c - MS_q - MS_cs - MS_cj + 2·MS_r)/(n₀·S·J)
//
// and so for seeds, where MS_cs or MS_cj is MS_r where there is one seed or judge. It needs
// two conversations, one question more, and two seeds or judges, else ok is false.
func NewCrossed(questions []CrossedQuestion) (sources []Source, ok bool) {
	if len(questions) == 0 || len(questions[0].Values) == 0 {
		return nil, false
	}
	seeds, judges := len(questions[0].Values), len(questions[0].Values[0])
	var all stats.Cluster
	var bySeed, byJudge margins
	conversations := make(map[string]*conversationMargins)
	var order []*conversationMargins
	var squareQ float64
	for _, q := range questions {
		c := conversations[q.Conversation]
		if c == nil {
			c = new(conversationMargins)
			conversations[q.Conversation], order = c, append(order, c)
		}
		var of stats.Cluster
		for s, row := range q.Values {
			for j, x := range row {
				of.Add(x)
				bySeed.add(s, x)
				byJudge.add(j, x)
				c.bySeed.add(s, x)
				c.byJudge.add(j, x)
			}
		}
		squareQ += of.Sum * of.Sum / of.Weight
		c.all.Merge(of)
		c.questions++
		all.Merge(of)
	}
	n, groups, S, J := float64(len(questions)), float64(len(order)), float64(seeds), float64(judges)
	if groups < 2 || n <= groups || S*J < 2 {
		return nil, false
	}
	mean := all.Sum * all.Sum / all.Weight
	var squareC, squareCS, squareCJ, sizes float64
	for _, c := range order {
		squareC += c.all.Sum * c.all.Sum / c.all.Weight
		squareCS += c.bySeed.square()
		squareCJ += c.byJudge.square()
		sizes += c.questions * c.questions
	}
	// Sums of squares, by subtraction.
	ssC, ssQ := squareC-mean, squareQ-squareC
	ssS, ssJ := bySeed.square()-mean, byJudge.square()-mean
	ssCS, ssCJ := squareCS-squareC-ssS, squareCJ-squareC-ssJ
	freeS, freeJ := S-1, J-1
	freeRest := n*S*J - n - (freeS+freeJ)*groups
	rest := Source{Name: "rest", Levels: n * S * J, Square: (all.Squares - squareQ - ssS - ssJ - ssCS - ssCJ) / freeRest}
	rest.Variance = rest.Square
	size := (n - sizes/n) / (groups - 1)
	part := func(name string, levels, square, variance float64) Source {
		return Source{Name: name, Levels: levels, Square: square, Variance: max(0, variance), Negative: variance < 0}
	}
	var crossed []Source
	squaresOf := [2]float64{rest.Square, rest.Square} // of a conversation by seed and judge
	for i, f := range []struct {
		name                        string
		levels, others, ss, ssWithC float64
	}{{"seed", S, J, ssS, ssCS}, {"judge", J, S, ssJ, ssCJ}} {
		if f.levels < 2 {
			continue
		}
		square, with := f.ss/(f.levels-1), f.ssWithC/((f.levels-1)*(groups-1))
		squaresOf[i] = with
		crossed = append(crossed,
			part(f.name, f.levels, square, (square-with)/(n*f.others)),
			part("conversation × "+f.name, groups*f.levels, with, (with-rest.Square)/(size*f.others)))
	}
	c, q := ssC/(groups-1), ssQ/(n-groups)
	sources = slices.Concat([]Source{
		part("conversation", groups, c, (c-q-squaresOf[0]-squaresOf[1]+2*rest.Square)/(size*S*J)),
		part("question", n, q, (q-rest.Square)/(S*J)),
	}, crossed, []Source{rest})
	return sources, !slices.ContainsFunc(sources, func(s Source) bool { return !finite(s.Variance) || math.IsNaN(s.Square) })
}

// conversationMargins are the sums of a conversation.
type conversationMargins struct {
	all             stats.Cluster
	bySeed, byJudge margins
	questions       float64
}

// margins are the sums of each level of a factor.
type margins []stats.Cluster

func (m *margins) add(level int, x float64) {
	if level == len(*m) {
		*m = append(*m, stats.Cluster{})
	}
	(*m)[level].Add(x)
}

// square returns the sum of the squared sums, each by its number.
func (m *margins) square() float64 {
	var sum float64
	for _, c := range *m {
		sum += c.Sum * c.Sum / c.Weight
	}
	return sum
}
