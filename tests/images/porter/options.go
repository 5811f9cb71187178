// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"strings"
)

// Porter's own public place for plugins, used when no source is named.
const defaultMirror = "https://cdn.porter.sh"

// pluginOptions is one plugin to install. After resolve, feedURL or url is set.
type pluginOptions struct {
	name    string
	version string
	url     string
	feedURL string
	mirror  string
}

// installOptions is the whole command line of `plugins install`.
type installOptions struct {
	pluginOptions
	file string
}

func parseInstallOptions(args []string) (installOptions, error) {
	o := installOptions{pluginOptions: pluginOptions{version: "latest", mirror: os.Getenv("PORTER_MIRROR")}}
	flags := flagSet{
		values: map[string]*string{
			"file": &o.file, "version": &o.version, "url": &o.url,
			"feed-url": &o.feedURL, "mirror": &o.mirror,
		},
		short: map[string]string{"f": "file", "v": "version"},
	}
	names, err := flags.parse(args)
	if err != nil {
		return o, err
	}
	if o.file != "" {
		return o, o.checkFile(names)
	}
	o.name, err = onlyName(names)
	return o, err
}

func onlyName(names []string) (string, error) {
	switch len(names) {
	case 0:
		return "", errors.New("no name was specified")
	case 1:
		return names[0], nil
	default:
		return "", fmt.Errorf(
			"only one positional argument may be specified, the name, but multiple were received: %s", names)
	}
}

func (o installOptions) checkFile(names []string) error {
	if len(names) > 0 {
		return errors.New("plugin name should not be specified when --file is provided")
	}
	if o.url != "" {
		return errors.New("plugin URL should not be specified when --file is provided")
	}
	if o.version != "" && o.version != "latest" {
		return fmt.Errorf("plugin version %s should not be specified when --file is provided", o.version)
	}
	if _, err := os.Stat(o.file); err != nil {
		return fmt.Errorf("unable to access --file %s: %w", o.file, err)
	}
	return nil
}

// plugins lists what to install, all of it checked before the first download.
func (o installOptions) plugins() ([]pluginOptions, error) {
	wanted := []pluginOptions{o.pluginOptions}
	if o.file != "" {
		doc, err := readDocument(o.file)
		if err != nil {
			return nil, err
		}
		wanted = doc.sorted()
	}
	for i := range wanted {
		// The flags fill in what the file leaves open.
		wanted[i].feedURL = firstOf(wanted[i].feedURL, o.feedURL)
		wanted[i].mirror = firstOf(wanted[i].mirror, o.mirror)
		if err := wanted[i].resolve(); err != nil {
			return nil, err
		}
	}
	return wanted, nil
}

// resolve settles the name, the version and the source of a plugin.
func (p *pluginOptions) resolve() error {
	p.name = strings.ToLower(p.name)
	p.version = firstOf(p.version, "latest")
	mirror, err := url.Parse(firstOf(p.mirror, defaultMirror))
	if err != nil {
		return fmt.Errorf("Invalid --mirror %s: %w", p.mirror, err)
	}
	if p.url == "" && p.feedURL == "" {
		mirror.Path = path.Join(mirror.Path, "plugins", "atom.xml")
		p.feedURL = mirror.String()
	}
	if _, err := url.Parse(p.feedURL); err != nil {
		return fmt.Errorf("invalid --feed-url %s: %w", p.feedURL, err)
	}
	if _, err := url.Parse(p.url); err != nil {
		return fmt.Errorf("invalid --url %s: %w", p.url, err)
	}
	return nil
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}
