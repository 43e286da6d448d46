// Package external is the parent of the packages that run memories that are not
// Go code of this module: the messages of the protocol recallbench-memory/1
// (wire), the hosts of child processes, HTTP services and MCP servers
// (adapter), and the proxy through which their model calls reach the doors
// (gateway).
package external
