package dialogrel

import "strings"

// A gender is that of a pronoun.
type gender byte

const (
	unknown   gender = 0
	feminine  gender = 'f'
	masculine gender = 'm'
)

// genderOf returns the gender that a name of a person tells by a title, or by a
// given name of those that are common in English; unknown for any other.
func genderOf(name string) gender {
	first, _, _ := strings.Cut(name, " ")
	switch word := strings.TrimSuffix(strings.ToLower(first), "."); {
	case feminineNames[word]:
		return feminine
	case masculineNames[word]:
		return masculine
	}
	return unknown
}

func set(list string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// Names that are given to both, such as Alex, Chris and Sam, are in neither.
var feminineNames = set(`
	mrs ms miss aunt grandma queen lady
	alice amanda amy andrea angela anita ann anna anne annie barbara beth betty beverly bonnie brenda carla carol caroline
	catherine charlotte cheryl christina christine cindy claire colleen connie cynthia daisy dawn deborah debra denise diana
	diane donna doris dorothy elaine eleanor elizabeth ellen emily emma erica esther ethel eva evelyn fiona florence frances
	gail gina gloria grace hannah hazel heather heidi helen holly ida irene isabel jane janet janice jasmine jean jennifer
	jenny jessica jill joan joanna josephine joyce judith judy julia julie june karen kate katherine kathleen kathy katie
	kimberly kristen kristin laura lauren laurie linda lisa liz lois lori lorraine louise lucy lydia margaret maria marie
	marilyn marjorie martha mary megan melanie melissa michelle mildred mindy molly monica nancy naomi natalie nicole nina
	nora norma olivia pamela patricia paula pauline peggy penny phoebe phyllis rachel rebecca renee rhonda rita rose rosemary
	rosie roxanne ruby ruth sally samantha sandra sandy sara sarah sharon sheila shirley sophia sophie stacy stella stephanie
	sue susan susie suzanne sylvia tammy tanya teresa theresa tina tracy ursula valerie vanessa vera veronica victoria
	virginia vivian wanda wendy yvonne zoe
`)

var masculineNames = set(`
	mr uncle grandpa king lord sir
	aaron abraham adam alan albert alexander alfred allen andrew anthony arnold arthur barry ben benjamin bernard bill billy
	bob bobby bradley brandon brian bruce bryan carl carlos charles charlie chandler chuck clarence clark craig curtis dan
	daniel dave david dean dennis derek don donald doug douglas duncan dwight earl ed eddie edgar edward edwin eric ernest
	ernie ethan eugene felix floyd francis frank franklin fred frederick gary gavin gene george gerald gilbert glen glenn
	gordon greg gregory gunther gus harold harry harvey henry herbert herman howard hugh isaac ivan jack jacob jake james
	jason jeff jeffrey jeremy jerome jerry jesse jim jimmy joe joel joey john johnny jon jonathan joseph joshua juan justin
	keith ken kenneth kevin kyle larry lawrence leo leon leonard leroy lester lloyd louis luke marcus mario mark martin
	marvin matt matthew max melvin michael mike milton mitchell nathan neil nicholas nick norman oliver oscar otto patrick
	paul peter phil philip phillip ralph ray raymond richard rick rob robert rodney roger roland ron ronald ross roy russell
	scott sean sebastian seth sidney simon stanley stephen steve steven stuart ted theodore thomas tim timothy todd tom tommy
	tony travis vernon victor vincent vince walter warren wayne wesley will william willie zachary
`)
