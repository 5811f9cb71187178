// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
)

// installationOptions is the command line of what is done with one
// installation, which its name stands for.
type installationOptions struct{ name, namespace, format string }

func parseInstallationOptions(args []string) (installationOptions, error) {
	o := installationOptions{format: plaintextFormat}
	flags := flagSet{
		values: map[string]*string{"namespace": &o.namespace, "output": &o.format},
		short:  map[string]string{"n": "namespace", "o": "output"},
	}
	names, err := flags.parse(args)
	if err != nil {
		return o, err
	}
	o.name, err = installationName(names)
	return o, err
}

func installationName(names []string) (string, error) {
	switch len(names) {
	case 0:
		return "", errors.New("no installation name was specified")
	case 1:
		return names[0], nil
	default:
		return "", fmt.Errorf(
			"only one positional argument may be specified, the installation name, but multiple were received: %s", names)
	}
}
