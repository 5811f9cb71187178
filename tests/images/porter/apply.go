// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
	"os"
)

// applyOptions is what the command lines of all apply commands share.
type applyOptions struct{ file, namespace string }

func parseApplyOptions(args []string, switches map[string]*bool) (applyOptions, error) {
	var o applyOptions
	flags := flagSet{
		values:   map[string]*string{"namespace": &o.namespace},
		short:    map[string]string{"n": "namespace"},
		switches: switches,
	}
	names, err := flags.parse(args)
	if err != nil {
		return o, err
	}
	switch len(names) {
	case 0:
		return o, errors.New("a file argument is required")
	case 1:
		o.file = names[0]
	default:
		return o, errors.New("only one file argument may be specified")
	}
	info, err := os.Stat(o.file)
	if err != nil {
		return o, fmt.Errorf("invalid file argument %s: %w", o.file, err)
	}
	if info.IsDir() {
		return o, fmt.Errorf("invalid file argument %s, must be a file not a directory", o.file)
	}
	return o, nil
}

// settledNamespace is the one of the file, even an empty one (which means the
// global namespace), else the one of the command line.
func (o applyOptions) settledNamespace() (string, error) {
	var raw map[string]any
	if err := unmarshalFile(o.file, &raw); err != nil {
		return "", fmt.Errorf("invalid file '%s': %w", o.file, err)
	}
	value, ok := raw["namespace"]
	if !ok {
		return o.namespace, nil
	}
	namespace, ok := value.(string)
	if !ok {
		return "", errors.New("invalid namespace specified in file, must be a string")
	}
	return namespace, nil
}
