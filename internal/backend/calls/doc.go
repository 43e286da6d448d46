// Package calls records calls of models and serves them again, so that nothing
// is paid for twice and a run can be repeated without a network.
//
// A [Recorder] wraps the doors to models. A [Store] keeps the recordings in a
// folder that many processes may share.
//
// # Keys
//
// A recording is found by its key, the SHA-256 of the canonical request: one
// JSON object without white space, whose fields stand in this order and are
// left out where they are empty, zero, false or null.
//
//	form          1
//	call          "chat", "embed", "entail" or "annotate"
//	identity      what calls of one model have in common
//	  class         class of the provider, such as "openai"
//	  provider      host and port of the server, or a name that stands for them
//	  model         the model asked for
//	  fixed         parameters that every call has: JSON, its keys sorted
//	role          what the call is for; chat only
//	texts         the texts sent, in order
//	  role          chat: "system", "user" or "assistant"
//	                embed: "document" or "query"
//	                entail: "premise", then "hypothesis"
//	                annotate: "layers", joined by commas in the order of
//	                annotate.Layers; "known" and "name", each as JSON; then of
//	                each utterance "speaker", where there is one, and "text"
//	  sha256        of the text, in hexadecimal digits
//	format        the JSON asked for; chat only
//	  name
//	  schema        without white space, its keys as they were
//	temperature   here and below, chat only
//	max_tokens
//	seed
//	logprobs
//	top_logprobs
//	plain
//	repeat        tells apart calls to be sampled anew
//	wire          what a program outside asked for besides; chat only
//	  rest          further members of the body, keys sorted
//	  raw           indices of the texts that are JSON of a message
//
// A temperature or seed of 0 is not null, and stands. Strings and numbers are
// written as encoding/json does with HTML escapes off. Texts stand as hashes so
// that the key of a long prompt costs little more than its SHA-256.
//
// Nothing of transport is part of it: no key of an account, timeout, retry or
// number of calls in flight. Neither are [llm.Request]'s Task, which the
// messages express, and Prefix, which changes no reply.
//
// # Files
//
// A store is a folder of segments, NAME.calls. Each process that records
// appends to a segment of its own; what it appended is written before the reply
// is returned, and synced within a second. The folder .claims has empty files whose
// bytes are locked for the keys that processes call for. An exported file is a
// segment, too. A segment is a row of frames, each a header of 76 bytes, a reply
// and a request. Numbers are little endian:
//
//	 0   4  magic, "RBC1"
//	 4   1  kind: 1 chat, 2 embed, 3 entail, 4 the end of an export,
//	       6 annotate
//	 5   3  zero
//	 8   8  time when the reply came, in ns since 1970
//	16  32  key; at the end of an export, the SHA-256 of all bytes before
//	48   8  first bytes of the SHA-256 of the identity's JSON
//	56   4  length of the reply
//	60   4  CRC-32C of the reply
//	64   4  length of the request
//	68   4  CRC-32C of the request
//	72   4  CRC-32C of the header's bytes before
//
// Reply and request are messages in the wire format of Protocol Buffers
// (protoc --decode_raw reads them). Field numbers of the reply:
//
//	 1 text  2 finish  3 model  4 fingerprint
//	 5 usage {1 calls  2 input  3 cached  4 output  5 reasoning  6 counted}
//	 6 logprob, repeated {1 token  2 logprob, double  3 top, repeated logprob}
//	 7 attempts  8 latency in ns  9 note, repeated
//	10 vector, float32 values  11 tokens  12 score, double
//	14 annotation, as JSON  15 choices of a chat from outside, as JSON
//
// Field numbers of the request:
//
//	1 text, repeated  2 sizes of the new pieces
//	3 the new pieces, one after another  4 the same, deflated
//
// Texts are the identity, the canonical request without identity and hashes,
// and the texts sent. They are cut into pieces at ends of lines that their
// content chooses, and each piece is in a segment once. A text is a list of
// triples of varints: how many bytes before this frame another begins, or 0 for
// this one; the first of its new pieces; and how many follow one another. So
// prompts that share most of their text take little room, and a hit reads
// nothing of them.
//
// Of two recordings with the same key the one with the later time counts. A
// frame that is cut off at the end of a file is left out: its process was killed
// before it returned the reply. Damage elsewhere costs the frames that it lies
// in; readers go on at the next header that is whole.
package calls
