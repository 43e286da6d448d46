// Package corenlp annotates with a Stanford CoreNLP server.
package corenlp
