// Package annotaterules annotates dialogues by rules: what the offline
// backend knows of sentences, names, coreference and discourse.
package annotaterules
