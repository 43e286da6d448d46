// Package corenlp annotates with a Stanford CoreNLP server that the user runs
// (Manning et al., 2014): tokens, entities, dependencies and coreference.
//
// A request is a text with its options in the address, and the reply is JSON:
//
//	POST /?properties={"annotators": "tokenize,ssplit,pos,lemma", "outputFormat": "json", ...}
//
//	{"sentences": [{"index": 0,
//	    "tokens": [{"index": 1, "word": "Ann", "lemma": "Ann", "pos": "NNP", "ner": "PERSON",
//	                "characterOffsetBegin": 0, "characterOffsetEnd": 3}, ...],
//	    "basicDependencies": [{"dep": "ROOT", "governor": 0, "dependent": 2}, ...],
//	    "entitymentions": [{"tokenBegin": 0, "tokenEnd": 1, "ner": "PERSON"}]}],
//	 "corefs": {"3": [{"sentNum": 1, "startIndex": 1, "endIndex": 2, "type": "PROPER",
//	    "number": "SINGULAR", "gender": "FEMALE", "isRepresentativeMention": true}, ...]}}
//
// Tokens, sentences and governors are counted from 1, except in entitymentions,
// and character positions in units of UTF-16, as in Java.
//
// The utterances of a session are one text, separated by empty lines, at which
// sentences end. Between sessions coreference is resolved by [annotate.Link].
package corenlp
