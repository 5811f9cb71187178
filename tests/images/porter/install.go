// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"
)

func (a *app) installPlugins(args []string) error {
	options, err := parseInstallOptions(args)
	if err != nil {
		return err
	}
	if err := a.sleepIfAsked(); err != nil {
		return err
	}
	plugins, err := options.plugins()
	if err != nil {
		return err
	}
	for _, plugin := range plugins {
		if err := a.install(plugin); err != nil {
			return err
		}
	}
	return nil
}

// sleepIfAsked lets a test have a slow install (the variable STANDIN_SLEEP).
func (a *app) sleepIfAsked() error {
	text := os.Getenv("STANDIN_SLEEP")
	if text == "" {
		return nil
	}
	duration, err := parseSeconds(text)
	if err != nil {
		return fmt.Errorf("stand-in: STANDIN_SLEEP is %w", err)
	}
	fmt.Fprintf(a.errOut, "stand-in: sleeping %s s, as STANDIN_SLEEP asks\n", text)
	time.Sleep(duration)
	return nil
}

func (a *app) install(plugin pluginOptions) error {
	client, shared, err := plugin.addresses()
	if err != nil {
		return err
	}
	if err := a.download(plugin.name, client, shared); err != nil {
		return err
	}
	if err := a.remember(plugin); err != nil {
		return err
	}
	about, err := a.ask(plugin.name)
	if err != nil {
		return fmt.Errorf("failed to get plugin metadata: %w", err)
	}
	_, err = fmt.Fprintf(a.out, "installed %s plugin %s (%s)\n", plugin.name, about.Version, about.Commit)
	return err
}

// addresses finds a plugin's two programs: the one for this machine, and the
// one that Porter puts into bundles, which is always for linux/amd64.
func (p pluginOptions) addresses() (client, shared *url.URL, err error) {
	if p.feedURL != "" {
		return p.feedAddresses()
	}
	base, err := url.Parse(p.url)
	if err != nil {
		return nil, nil, err
	}
	return p.below(*base, runtime.GOARCH), p.below(*base, "amd64"), nil
}

func (p pluginOptions) below(base url.URL, arch string) *url.URL {
	base.Path = path.Join(base.Path, p.version, fmt.Sprintf("%s-linux-%s", p.name, arch))
	return &base
}

func (p pluginOptions) feedAddresses() (client, shared *url.URL, err error) {
	address, err := url.Parse(p.feedURL)
	if err != nil {
		return nil, nil, err
	}
	data, err := fetchAll(address)
	if err != nil {
		return nil, nil, err
	}
	feed, err := parseFeed(data)
	if err != nil {
		return nil, nil, err
	}
	entry, ok := feed.search(p.name, p.version)
	if !ok {
		return nil, nil, fmt.Errorf("the feed at %s does not contain an entry for %s @ %s", p.feedURL, p.name, p.version)
	}
	if client = entry.download(p.name, "linux", runtime.GOARCH); client == nil {
		return nil, nil, p.notPublished(runtime.GOARCH)
	}
	if shared = entry.download(p.name, "linux", "amd64"); shared == nil {
		return nil, nil, p.notPublished("amd64")
	}
	return client, shared, nil
}

func (p pluginOptions) notPublished(arch string) error {
	return fmt.Errorf("%s @ %s did not publish a download for linux/%s", p.name, p.version, arch)
}

func (a *app) download(name string, client, shared *url.URL) error {
	directory := filepath.Join(a.pluginsDirectory(), name)
	if err := fetchProgram(client, filepath.Join(directory, name)); err != nil {
		return err
	}
	err := fetchProgram(shared, filepath.Join(directory, "runtimes", name+"-runtime"))
	if err != nil {
		// Half a plugin is worse than none.
		os.RemoveAll(directory)
	}
	return err
}

// packageCache is the file in which Porter notes where packages came from.
type packageCache struct {
	Packages []packageSource `json:"packages"`
}

// The two addresses really have keys that differ in case only.
type packageSource struct {
	Name    string `json:"name"`
	FeedURL string `json:"URL,omitempty"`
	URL     string `json:"url,omitempty"`
}

// remember adds a plugin to the cache file; one that is there already stays
// as it was, even if it now came from elsewhere.
func (a *app) remember(plugin pluginOptions) error {
	file := filepath.Join(a.pluginsDirectory(), "cache.json")
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("error reading package plugins cache.json: %w", err)
	}
	cache := packageCache{}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &cache); err != nil {
			return fmt.Errorf("error unmarshalling from plugins package cache.json: %w", err)
		}
	}
	for _, known := range cache.Packages {
		if known.Name == plugin.name {
			return nil
		}
	}
	cache.Packages = append(cache.Packages, packageSource{plugin.name, plugin.feedURL, plugin.url})
	text, err := json.MarshalIndent(cache, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return fmt.Errorf("error adding package info to plugins cache.json: %w", err)
	}
	return nil
}
