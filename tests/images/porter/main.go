// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// Command porter stands in for Porter: it installs and lists plugins as the
// real one does, and keeps installations and sets without running any bundle.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	// The release whose behaviour this program follows.
	porterVersion = "v1.6.1"
	// Says in every log which Porter this was.
	porterCommit = "stand-in"
)

type app struct {
	home   string
	out    io.Writer
	errOut io.Writer
}

func main() {
	a := &app{home: homeDirectory(), out: os.Stdout, errOut: os.Stderr}
	err := a.run(os.Args[1:])
	var chosen exitCode
	if errors.As(err, &chosen) {
		os.Exit(int(chosen))
	}
	if err != nil {
		fmt.Fprintln(a.errOut, err)
		os.Exit(1)
	}
}

func homeDirectory() string {
	if home := os.Getenv("PORTER_HOME"); home != "" {
		return home
	}
	return filepath.Join(os.Getenv("HOME"), ".porter")
}

func (a *app) pluginsDirectory() string {
	return filepath.Join(a.home, "plugins")
}

func (a *app) run(args []string) error {
	for len(args) > 0 && ignoredSwitches[strings.TrimPrefix(args[0], "--")] {
		args = args[1:]
	}
	run, rest, err := findCommand(args)
	if err != nil {
		return err
	}
	return run(a, rest)
}

func (a *app) version(args []string) error {
	format := plaintextFormat
	flags := flagSet{values: map[string]*string{"output": &format}, short: map[string]string{"o": "output"}}
	if _, err := flags.parse(args); err != nil {
		return err
	}
	switch format {
	case jsonFormat:
		return a.printJSON(struct {
			Name    string `json:"name"`
			Version string `json:"version"`
			Commit  string `json:"commit"`
		}{"porter", porterVersion, porterCommit})
	case plaintextFormat:
		_, err := fmt.Fprintf(a.out, "porter %s (%s)\n", porterVersion, porterCommit)
		return err
	default:
		return fmt.Errorf("unsupported format, %s. Supported formats are: json and plaintext", format)
	}
}
