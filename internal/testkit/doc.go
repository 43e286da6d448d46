// Package testkit is the parent of the packages that only tests import: golden files, the
// layers of the module (importtest), a fake model server, real data, generated
// conversations, long tests and errors that end a test (try).
package testkit
