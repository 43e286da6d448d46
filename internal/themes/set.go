package themes

// A set holds the themes of a hierarchy under construction, in the order of
// their ids, which is the order in which they came to be, and knows the nearest
// themes of each.
type set struct {
	*space
	themes []*theme // by id; nil where a theme is no more
	live   int
	rows   *matrix // the themes' rows by id; zero where a theme is no more
	age    int     // number of changes so far
	nearby
}

func newSet(s *space) *set { return &set{space: s, rows: newMatrix(s.dim)} }

// add makes a theme of the members, with the next id.
func (s *set) add(members []int) *theme {
	t := s.newTheme(len(s.themes), members)
	s.themes = append(s.themes, nil)
	s.rows.grow(len(s.themes))
	s.prepare()
	s.live++
	s.put(t)
	return t
}

// remove takes a theme out.
func (s *set) remove(t *theme) {
	s.age++
	s.leave(t.id)
	s.themes[t.id] = nil
	clear(s.rows.row(t.id))
	s.live--
}

// put places a theme that is new, or has changed, or replaces the one that has
// its id.
func (s *set) put(t *theme) {
	s.age++
	s.leave(t.id)
	s.themes[t.id] = t
	copy(s.rows.row(t.id), t.row)
	s.enter(t.id)
}

// width is the number of rows that products with all themes have room for.
func (s *set) width() int { return (len(s.themes) + 3) / 4 * 4 }

// near returns the near products of rows with the rows of all ids, one line for
// each.
func (s *set) near(rows ...[]float32) [][]float32 {
	stride, width := s.rows.stride, s.width()
	even := (len(rows) + 1) / 2 * 2
	queries := make([]float32, even*stride)
	for i, row := range rows {
		copy(queries[i*stride:], row)
	}
	products := make([]float32, even*width)
	s.rows.products(products, queries, 0, width)
	lines := make([][]float32, len(rows))
	for i := range lines {
		lines[i] = products[i*width : i*width+len(s.themes)]
	}
	return lines
}
