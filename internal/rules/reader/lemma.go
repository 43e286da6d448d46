package reader

import "strings"

// irregular maps forms that no suffix rule reaches to their base form.
var irregular = pairs(`
was be were be been be is be are be am be being be
went go gone go goes go did do done do does do had have has have having have
ate eat eaten eat began begin begun begin bought buy brought bring broke break broken break built build
came come caught catch chose choose chosen choose drew draw drawn draw drove drive driven drive drank drink
drunk drink fell fall fallen fall felt feel fought fight found find flew fly flown fly forgot forget
forgotten forget gave give given give got get gotten get grew grow grown grow heard hear held hold hid hide
hidden hide kept keep knew know known know led lead left leave lost lose made make meant mean met meet
paid pay ran run read read rode ride ridden ride rose rise risen rise said say saw see seen see sold sell
sent send sang sing sung sing sat sit slept sleep spoke speak spoken speak spent spend stood stand stole steal
stolen steal swam swim swum swim took take taken take taught teach told tell thought think threw throw
thrown throw understood understand woke wake woken wake wore wear worn wear won win wrote write written write
became become blew blow bent bend bit bite bitten bite chosen choose dealt deal dug dig dreamt dream fed feed
froze freeze frozen freeze hung hang hurt hurt laid lay lit light rang ring rung ring sought seek shook shake
shaken shake shone shine shot shoot showed show shown show sank sink slid slide spread spread stuck stick
struck strike swept sweep tore tear torn tear wound wind wept weep
children child kids kid men man women woman people person feet foot teeth tooth mice mouse wives wife
lives life leaves leaf puppies puppy families family
bigger big biggest big better good best good worse bad worst bad
`)

// pairs reads "form base form base ...".
func pairs(words string) map[string]string {
	m := make(map[string]string)
	f := strings.Fields(words)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
}

// lemma returns the base form of irregular words; other words are left to the
// stemmer.
func lemma(low string) string {
	if base, ok := irregular[low]; ok {
		return base
	}
	low = strings.TrimRight(low, "+")
	return strings.TrimSuffix(low, "'")
}
