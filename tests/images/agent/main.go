// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// Command agent stands in for the entrypoint of the Porter agent image: it
// puts the mounted configuration into Porter's home, then runs Porter.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"getporter.local/images/internal/mounted"
)

func main() {
	if code, ok := wantedExit(); ok {
		os.Exit(code)
	}
	home := valueOr(os.Getenv("PORTER_HOME"), "/app/.porter")
	config := valueOr(os.Getenv("PORTER_CONFIG"), "/porter-config")
	err := run(home, config, os.Args[1:])
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		// A failed Porter has told its reason itself.
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil {
		// Whatever code Porter ends with, the agent's own is 1.
		os.Exit(1)
	}
}

// wantedExit lets a test choose the exit code (the variable STANDIN_EXIT).
func wantedExit() (int, bool) {
	text, ok := os.LookupEnv("STANDIN_EXIT")
	if !ok {
		return 0, false
	}
	code, err := strconv.Atoi(text)
	if err != nil || code < 0 || code > 255 {
		fmt.Fprintf(os.Stderr, "stand-in: STANDIN_EXIT is %q, not an exit code\n", text)
		return 1, true
	}
	fmt.Fprintf(os.Stderr, "stand-in: exit %d, as STANDIN_EXIT asks\n", code)
	return code, true
}

func valueOr(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

func run(home, config string, args []string) error {
	if err := copyConfig(config, home); err != nil {
		return err
	}
	porter := filepath.Join(home, "porter")

	fmt.Fprintln(os.Stderr, "porter version")
	version := exec.Command(porter, "version")
	// Standard output belongs to the command that was asked for.
	version.Stdout, version.Stderr = os.Stderr, os.Stderr
	if err := version.Run(); err != nil {
		return fmt.Errorf("porter version check failed: %s", err)
	}

	fmt.Fprintln(os.Stderr, "porter", strings.Join(args, " "))
	command := exec.Command(porter, args...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	return command.Run()
}

func copyConfig(config, home string) error {
	names, err := mounted.Files(config)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyFile(filepath.Join(config, name), filepath.Join(home, name), name); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to, name string) error {
	fmt.Fprintln(os.Stderr, "Loading configuration", name, "into", to)
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o770); err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		target.Close()
		return err
	}
	return target.Close()
}
