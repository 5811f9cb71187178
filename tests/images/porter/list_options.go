// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import "strings"

// listOptions is the command line of the list commands for records.
type listOptions struct {
	namespace     string
	allNamespaces bool
	name          string
	format        string
}

func parseListOptions(args []string) (listOptions, error) {
	o := listOptions{format: plaintextFormat}
	flags := flagSet{
		values:   map[string]*string{"namespace": &o.namespace, "name": &o.name, "output": &o.format},
		short:    map[string]string{"n": "namespace", "o": "output"},
		switches: map[string]*bool{"all-namespaces": &o.allNamespaces},
	}
	if _, err := flags.parse(args); err != nil {
		return o, err
	}
	return o, checkFormat(o.format)
}

// selects tells whether a record is to be listed. No namespace means the
// global one, not all of them.
func (o listOptions) selects(namespace, name string) bool {
	everywhere := o.allNamespaces || o.namespace == "*"
	return (everywhere || o.namespace == namespace) && strings.Contains(name, o.name)
}
