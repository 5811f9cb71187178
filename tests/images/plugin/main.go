// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// Command plugin stands in for every Porter plugin: it knows its version and
// nothing else. Who it is, the feed has appended to it.
package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"

	"getporter.local/images/internal/identity"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || args[0] != "version" {
		return errors.New("this stand-in for a plugin only knows: version [--output json]")
	}
	who, err := whoAmI()
	if err != nil {
		return err
	}
	switch format := strings.Join(args[1:], " "); format {
	case "--output json", "--output=json", "-o json", "-o=json":
		text, err := json.MarshalIndent(who, "", "  ")
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(append(text, '\n'))
		return err
	case "", "--output plaintext", "-o plaintext":
		_, err := os.Stdout.WriteString(plaintext(who))
		return err
	default:
		return errors.New("unsupported arguments: " + format)
	}
}

func whoAmI() (identity.Identity, error) {
	path, err := os.Executable()
	if err != nil {
		return identity.Identity{}, err
	}
	program, err := os.Open(path)
	if err != nil {
		return identity.Identity{}, err
	}
	defer program.Close()
	info, err := program.Stat()
	if err != nil {
		return identity.Identity{}, err
	}
	return identity.Read(program, info.Size())
}

func plaintext(who identity.Identity) string {
	text := who.Name + " " + who.Version + " (" + who.Commit + ")"
	if who.Author != "" {
		text += " by " + who.Author
	}
	return text + "\n"
}
