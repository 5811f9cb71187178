// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"

	"getporter.local/images/internal/store"
)

// outputOptions is the command line of the commands for outputs.
type outputOptions struct{ installation, namespace, format string }

func parseOutputOptions(args []string) (outputOptions, []string, error) {
	o := outputOptions{format: plaintextFormat}
	flags := flagSet{
		values: map[string]*string{
			"installation": &o.installation, "namespace": &o.namespace, "output": &o.format},
		short: map[string]string{"i": "installation", "n": "namespace", "o": "output"},
	}
	names, err := flags.parse(args)
	return o, names, err
}

func (a *app) listOutputs(args []string) error {
	o, names, err := parseOutputOptions(args)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		// The name may stand without its flag here.
		if o.installation, err = installationName(names); err != nil {
			return err
		}
	}
	if o.installation == "" {
		return errors.New("installation name must be provided")
	}
	if err := checkFormat(o.format); err != nil {
		return err
	}
	outputs, err := a.outputs(o)
	if err != nil {
		return err
	}
	if o.format == jsonFormat {
		return a.printJSON(outputs)
	}
	rows, err := valueRows(outputs)
	if err != nil {
		return err
	}
	return a.printTable([]string{"Name", "Type", "Value"}, rows)
}

func (a *app) outputs(o outputOptions) ([]displayValue, error) {
	s, err := a.openStore()
	if err != nil {
		return nil, err
	}
	last, found, err := lastRun(s, o)
	if err == nil && !found {
		err = notFound("Run")
	}
	return last.Outputs, err
}

func lastRun(s store.Store, o outputOptions) (run, bool, error) {
	var last run
	found, err := s.Get(runsCollection, o.namespace, o.installation, &last)
	return last, found, err
}

func (a *app) showOutput(args []string) error {
	o, names, err := parseOutputOptions(args)
	if err != nil {
		return err
	}
	name, err := outputName(names)
	if err != nil {
		return err
	}
	if o.installation == "" {
		return errors.New("installation name must be provided via [--installation|-i INSTALLATION]")
	}
	s, err := a.openStore()
	if err != nil {
		return err
	}
	last, _, err := lastRun(s, o)
	if err != nil {
		return err
	}
	for _, output := range last.Outputs {
		if output.Name == name {
			_, err := fmt.Fprintln(a.out, output.Value)
			return err
		}
	}
	// Porter does not find the word for outputs here.
	return fmt.Errorf("unable to read output '%s' for installation '%s/%s': %w",
		name, o.namespace, o.installation, notFound(""))
}

func outputName(names []string) (string, error) {
	switch len(names) {
	case 0:
		return "", errors.New("an output name must be provided")
	case 1:
		return names[0], nil
	default:
		return "", fmt.Errorf(
			"only one positional argument may be specified, the output name, but multiple were received: %s", names)
	}
}
