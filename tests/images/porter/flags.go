// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"fmt"
	"strconv"
	"strings"
)

// Flags of Porter that change nothing here.
var ignoredSwitches = map[string]bool{"debug": true, "debug-plugins": true}

// flagSet reads command lines as Porter does: long flags with two dashes,
// short ones with one, a value after a space or an equals sign, and flags
// before and after names. Switches need no value.
type flagSet struct {
	values   map[string]*string
	switches map[string]*bool
	short    map[string]string
}

// parse stores the flags' values and returns the other arguments.
func (f *flagSet) parse(args []string) ([]string, error) {
	var names []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if len(arg) < 2 || arg[0] != '-' {
			names = append(names, arg)
			continue
		}
		if arg == "--" {
			return append(names, args...), nil
		}
		rest, err := f.takeFlag(arg, args)
		if err != nil {
			return nil, err
		}
		args = rest
	}
	return names, nil
}

func (f *flagSet) takeFlag(arg string, rest []string) ([]string, error) {
	name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	if ignoredSwitches[name] {
		return rest, nil
	}
	long := strings.HasPrefix(arg, "--")
	if !long {
		if f.short[name[:1]] == "" {
			return nil, fmt.Errorf("unknown shorthand flag: '%s' in %s", name[:1], arg)
		}
		if len(name) > 1 {
			// -fFILE is the same as -f FILE.
			name, value, hasValue = name[:1], arg[2:], true
		}
		name = f.short[name]
	}
	if target, ok := f.switches[name]; ok {
		return rest, turn(target, name, value, hasValue)
	}
	target, ok := f.values[name]
	if !ok {
		return nil, fmt.Errorf("unknown flag: --%s", name)
	}
	if !hasValue {
		if len(rest) == 0 {
			return nil, fmt.Errorf("flag needs an argument: --%s", name)
		}
		value, rest = rest[0], rest[1:]
	}
	*target = value
	return rest, nil
}

func turn(target *bool, name, value string, hasValue bool) error {
	if !hasValue {
		value = "true"
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return fmt.Errorf("invalid argument %q for \"--%s\" flag: %w", value, name, err)
	}
	*target = on
	return nil
}
