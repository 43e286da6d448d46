// Package files is the wing of reading and writing files: formats (strictyaml, jsontree, jsonout,
// spreadsheet, category), where data sets lie and come from (datadir,
// datafile, fetch), files that survive a kill (durable, filelock), and files that
// others append to (follow).
package files
