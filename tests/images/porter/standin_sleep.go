// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"fmt"
	"strconv"
	"time"
)

// sleep lets a test have a command that lasts. SIGTERM ends it, as it ends
// every program that does not ask for that signal.
func (a *app) sleep(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("stand-in: standin-sleep needs the number of seconds, and got %q", args)
	}
	duration, err := parseSeconds(args[0])
	if err != nil {
		return fmt.Errorf("stand-in: the time to sleep is %w", err)
	}
	a.info("stand-in: sleeping %s s", args[0])
	time.Sleep(duration)
	return nil
}

func parseSeconds(text string) (time.Duration, error) {
	seconds, err := strconv.ParseFloat(text, 64)
	// Written so that "NaN" is refused too.
	if err != nil || !(seconds >= 0 && seconds < 1e9) {
		return 0, fmt.Errorf("%q, not a number of seconds", text)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
