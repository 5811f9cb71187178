// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"fmt"
	"strconv"
	"time"
)

// exitCode ends the program without any message.
type exitCode int

func (e exitCode) Error() string {
	return fmt.Sprintf("exit code %d", int(e))
}

// talk is what the log command is to say, how fast, and how it is to end.
type talk struct {
	lines    int
	duration time.Duration
	message  string
	code     int
}

// log lets a test have output that grows, and an end of its choice.
func (a *app) log(args []string) error {
	t, err := parseTalk(args)
	if err != nil {
		return fmt.Errorf("stand-in: %w", err)
	}
	for i := range t.lines {
		fmt.Fprintf(a.out, "line %d\n", i+1)
		time.Sleep(t.duration / time.Duration(t.lines))
	}
	if t.message != "" {
		fmt.Fprintln(a.errOut, t.message)
	}
	if t.code != 0 {
		return exitCode(t.code)
	}
	return nil
}

func parseTalk(args []string) (t talk, err error) {
	seconds, code := "0", "0"
	flags := flagSet{values: map[string]*string{"seconds": &seconds, "exit": &code, "message": &t.message}}
	names, err := flags.parse(args)
	if err != nil {
		return t, err
	}
	if len(names) != 1 {
		return t, fmt.Errorf("standin-log needs the number of lines, and got %q", names)
	}
	if t.lines, err = strconv.Atoi(names[0]); err != nil || t.lines < 0 {
		return t, fmt.Errorf("LINES is %q, not a number of lines", names[0])
	}
	if t.code, err = strconv.Atoi(code); err != nil || t.code < 0 || t.code > 255 {
		return t, fmt.Errorf("--exit is %q, not an exit code", code)
	}
	if t.duration, err = parseSeconds(seconds); err != nil {
		return t, fmt.Errorf("--seconds is %w", err)
	}
	return t, nil
}
