package offline
import ("testing")
func TestZZ(t *testing.T){
 r := testReader(t)
 n := map[want]int{}
 for _, tr := range trials(t) {
	lines, speakers, _ := r.analyser.gather(tr.passages)
	q, _ := r.analyser.parse(tr.question, speakers, latest(lines))
	m := q.score(lines); m.sorted()
	if text,_ := q.typed(m, speakers); text != "" { d := q.demand(false); n[d.want]++; if tr.developed { t.Log(d.want, tr.question, "->", text, "|", tr.gold.Answer) } }
 }
 t.Log(n)
}
